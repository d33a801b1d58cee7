import { type Description, queryOf, type Schema } from '#scripts/sdk/document.ts';
import type { SdkOperation } from '#scripts/sdk/operations.ts';
import { align, comment, exported, parameter } from './names.ts';
import { lowerFirst, type Types } from './types.ts';

const nameOf = ({ id }: SdkOperation): string => exported(id);

/** The schema of an operation's body, of whichever type. */
export function bodyOf({ description }: SdkOperation): Schema | undefined {
  return Object.values(description.requestBody?.content ?? {})[0]?.schema;
}

/** Writes the client and a service for each noun, with a method for each verb. */
export function writeOperations(operations: readonly SdkOperation[], types: Types): string {
  const nouns = [...new Set(operations.map(({ noun }) => noun))];
  const fields = nouns.map((noun) => ({ comment: '', cells: [exported(noun), `*${exported(noun)}Service`] }));
  const values = nouns.map((noun) => ({
    comment: '',
    cells: [`${exported(noun)}:`, `&${exported(noun)}Service{own},`],
  }));
  const client = `// Client calls the API: a service for each noun, and on it a method for each verb. Goroutines may share it.
type Client struct {
${align(fields)}}

func newClient(own settings) *Client {
	return &Client{
${align(values, '\t\t')}	}
}
`;
  const services = nouns.map((noun) => {
    const methods = operations.filter((operation) => operation.noun === noun);
    const service = `${exported(noun)}Service`;
    const head = `// ${service} has the calls of Client.${exported(noun)}.\ntype ${service} struct{ settings settings }\n`;
    return [head, ...methods.map((operation) => writeMethod(service, operation, types))].join('\n');
  });
  return [client, ...services].join('\n');
}

function writeMethod(service: string, operation: SdkOperation, types: Types): string {
  const { verb, method, path, ids, takes, largestLimit } = operation;
  const { summary = '', description = '' } = operation.description;
  const names = ids.map(parameter);
  const isList = largestLimit !== undefined;
  const input = inputOf(operation, types);
  const given = [
    ...(isList ? [] : ['ctx context.Context']),
    ...(names.length === 0 ? [] : [`${names.join(', ')} string`]),
    ...(input === undefined ? [] : [`${takes} ${input}`]),
    'options ...Option',
  ];
  const request = [
    `method: "${method}"`,
    `path: "${path}"`,
    ...(names.length === 0 ? [] : [`ids: []string{${names.join(', ')}}`]),
    ...(input === undefined ? [] : [`${takes}: ${takes}`]),
  ];
  const more = description === `${summary}.` ? '' : `\n\n${description}`;
  const about = `${exported(verb)}: ${lowerFirst(summary)} (${method} ${path}).${more}`;
  const head = `${comment(about)}func (s *${service}) ${exported(verb)}(${given.join(', ')})`;
  const asked = `request{${request.join(', ')}}`;
  if (isList) {
    const { item, hasCursor } = listOf(operation, types);
    const list = `&List[${item}]{s.settings, ${asked}, options, ${largestLimit}, ${hasCursor}}`;
    return `${head} *List[${item}] {\n\treturn ${list}\n}\n`;
  }
  const answer = answerOf(operation, types);
  const call = answer === 'io.ReadCloser' ? 'stream' : answer === '[]byte' ? 'read' : `call[${answer}]`;
  return `${head} (${answer}, error) {\n\treturn ${call}(ctx, s.settings, ${asked}, options)\n}\n`;
}

/** The Go type of what follows the ids. */
export function inputOf(operation: SdkOperation, types: Types): string | undefined {
  if (operation.takes === 'body') return types.typeOf(bodyOf(operation)!, `${nameOf(operation)}Body`, 'input');
  if (operation.takes === undefined) return undefined;
  const name = `${nameOf(operation)}Query`;
  const fields = queryOf(operation.description).map(({ required = false, description, schema, ...rest }) => ({
    name: rest.name,
    schema: { ...schema, description },
    isRequired: required,
  }));
  types.declareQuery(name, operation.id, fields);
  return name;
}

/** The first answer that is no error. */
function contentOf({ description }: SdkOperation): NonNullable<Description['responses'][string]['content']> {
  const answer = Object.entries(description.responses).find(([status]) => Number(status) < 400);
  return answer?.[1].content ?? {};
}

/** The Go type of an answer: pictures and texts are bytes, what may be large is read by the caller. */
function answerOf(operation: SdkOperation, types: Types): string {
  const content = contentOf(operation);
  if ('text/csv' in content) return 'io.ReadCloser';
  const schema = content['application/json']?.schema;
  if (schema === undefined) return '[]byte';
  const type = types.typeOf(schema, `${nameOf(operation)}Answer`, 'answer');
  return type.startsWith('[]') ? type : `*${type}`;
}

const pageFields = new Set(['data', 'count', 'nextCursor', 'hasMore']);

/** @throws Error where a page has more than Page holds. */
function listOf(operation: SdkOperation, types: Types): { item: string; hasCursor: boolean } {
  const { properties = {} } = types.resolve(contentOf(operation)['application/json']!.schema!);
  const strange = Object.keys(properties).filter((name) => !pageFields.has(name));
  if (strange.length > 0)
    throw new Error(`A page of ${operation.id} has fields without a place: ${strange.join(', ')}`);
  const hasCursor = queryOf(operation.description).some(({ name }) => name === 'cursor');
  // Events of the log have data as those of webhooks have, of which the schema says nothing.
  const item =
    operation.id === 'listEvents'
      ? 'Event'
      : types.typeOf(properties['data']!.items!, `${nameOf(operation)}Item`, 'answer');
  return { item, hasCursor };
}
