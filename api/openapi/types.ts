/** A schema, as far as the steps of `describeDocument` look at it. */
export interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  readOnly?: boolean;
  items?: Schema;
  'x-items'?: Schema;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  [keyword: string]: unknown;
  name?: string;
  in?: string;
  description?: string;
  schema?: Schema;
}

/** The body of a request or an answer, by media type. */
interface Content {
  content?: Record<string, { schema?: Schema; example?: unknown }>;
  headers?: Record<string, unknown>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** The document that the routes describe: its operations by path and method. Every step changes it in place. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));
