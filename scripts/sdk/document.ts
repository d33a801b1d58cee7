/** A schema of OpenAPI 3.0.3, as far as the generators of SDKs read it. */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  format?: string;
  enum?: readonly unknown[];
  nullable?: boolean;
  readOnly?: boolean;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

type Content = Record<string, { schema?: Schema }>;

/** A parameter; one of a name that several operations share is a reference. */
type Parameter =
  | { $ref: string }
  | { name: string; in: string; required?: boolean; description?: string; schema: Schema };

/** An operation in `/doc`. */
export interface Description {
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** The answer of `/doc`. */
export interface ApiDocument {
  paths: Record<string, Record<string, Description & { operationId: string }>>;
  components: { schemas: Record<string, Schema> };
  'x-webhooks': Record<string, { post: Description }>;
}

/** The parameters of an operation's query. */
export const queryOf = ({ parameters = [] }: Description) =>
  parameters.filter((found) => 'in' in found).filter((found) => found.in === 'query');
