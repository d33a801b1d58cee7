import { type ApiDocument, type Description, queryOf, type Schema } from './document.ts';
import type { SdkOperation } from './operations.ts';
import { createPythonTypes, docstring, pascalCase, type PythonTypes, snakeCase } from './python-types.ts';

const head = '# Generated from /doc by scripts/sdk/python.ts.\n\nfrom __future__ import annotations\n\n';
const typingImports = `import sys
from typing import Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

from .._files import File


`;
const nounImports = `import builtins
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, cast

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

from . import types
from .._files import File
from .._pages import AsyncList, List
from .._send import Call, OnResponse, segment


`;
// Names of the keyword arguments that every method has.
const options = {
  timeout: 'float',
  max_retries: 'int',
  extra_headers: 'Mapping[str, str]',
  idempotency_key: 'str',
  on_response: 'OnResponse',
} as const;

/** Writes the modules of the Python SDK that follow from the API's description: by their names, their texts. */
export function writePythonModules(operations: readonly SdkOperation[], document: ApiDocument): Record<string, string> {
  const types = createPythonTypes(document.components.schemas);
  const methods = operations.map((operation) => ({ noun: operation.noun, ...readMethod(operation, types) }));
  const nouns = [...new Set(methods.map(({ noun }) => noun))];
  const writeNouns = (isAsync: boolean): string => {
    const prefix = isAsync ? 'Async' : '';
    const send = isAsync ? 'Callable[[Call], Awaitable[Any]]' : 'Callable[[Call], Any]';
    const classes = nouns.map((noun) => {
      const own = methods.filter((method) => method.noun === noun).map((method) => writeMethod(method, isAsync));
      const start = `class ${prefix}${pascalCase(noun)}:\n    def __init__(self, send: ${send}) -> None:\n        self._send = send\n`;
      return [start, ...own].join('\n');
    });
    const fields = nouns.map((noun) => `        self.${snakeCase(noun)} = ${prefix}${pascalCase(noun)}(send)\n`);
    const all = `class ${prefix}Nouns:\n    """Every operation of the API, by noun and verb."""\n\n    def __init__(self, send: ${send}) -> None:\n${fields.join('')}`;
    return `${head}${nounImports}${[...classes, all].join('\n\n')}`;
  };
  const events = Object.values(document['x-webhooks']).map(({ post }) =>
    types.typeOf(post.requestBody!.content['application/json']!.schema!, ''),
  );
  const sync = writeNouns(false);
  const async = writeNouns(true);
  const union = `WebhookEvent = Union[\n${events.map((event) => `    ${event},\n`).join('')}]\n${docstring('Every event that a webhook gets; `type` tells them apart. Later versions of the API may add types.', 0)}`;
  const exported = `__all__ = ${JSON.stringify([...types.names(), 'WebhookEvent'].toSorted())}\n`;
  return {
    '__init__.py': '',
    'types.py': `${head}${typingImports}${types.write()}\n\n${union}\n${exported}`,
    'nouns.py': sync,
    'async_nouns.py': async,
  };
}

interface Method {
  name: string;
  about: string;
  /** Names of the path's parameters, in Python's words. */
  ids: string[];
  /** Keyword arguments of a method, besides those that every method takes. The last one unpacks the TypedDict of the body or query. */
  keywords: string[];
  /** Arguments of `Call`. */
  call: string[];
  answer: string;
  /** Of a list: the type of its items, and the largest `limit` of a page. */
  list?: { item: string; largestLimit: number };
}

function readMethod(operation: SdkOperation, types: PythonTypes): Method {
  const { description } = operation;
  const { parameters = [], requestBody, summary = '', description: more = '' } = description;
  const typeName = pascalCase(operation.id);
  const takesKey = parameters.some((found) => '$ref' in found && found.$ref.endsWith('/IdempotencyKey'));
  const query = queryOf(description);
  const ids = operation.ids.map(snakeCase);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, id: string) => `{segment(${snakeCase(id)})}`);
  const call = [JSON.stringify(operation.method), `${path === operation.path ? '' : 'f'}${JSON.stringify(path)}`];
  const keywords = Object.entries(options)
    .filter(([name]) => name !== 'idempotency_key' || takesKey)
    .map(([name, type]) => `${name}: ${type} | None = None`);
  if (takesKey) call.push('takes_key=True');

  if (requestBody !== undefined) {
    const [[kind, { schema }]] = Object.entries(requestBody.content) as [[string, { schema: Schema }]];
    const optional = (name: string, own: Schema): string => `${name}: ${types.typeOf(own, '', 'types.')} | None = None`;
    const dictOf = (names: string[]): string => `{${names.map((name) => `"${name}": ${name}`).join(', ')}}`;
    refuseFields(operation, schema, types);
    if (kind === 'multipart/form-data') {
      const { file: _file, ...fields } = types.resolve(schema).properties ?? {};
      keywords.push('file: File', ...Object.entries(fields).map(([name, own]) => optional(name, own)));
      call.push('file=file');
      if (Object.keys(fields).length > 0) call.push(`form=${dictOf(Object.keys(fields))}`);
    } else {
      keywords.push(...query.map(({ name, schema: own }) => optional(name, own)));
      if (query.length > 0) call.push(`query=${dictOf(query.map(({ name }) => name))}`);
      keywords.push(`**body: Unpack[${types.typeOf(schema, `${typeName}Body`, 'types.')}]`);
      call.push(requestBody.required === true ? 'body=body' : 'body=body or None');
    }
  } else if (query.length > 0) {
    const properties = Object.fromEntries(
      query.map(({ name, schema, description: about }) => [name, { ...schema, description: about }]),
    );
    const required = query.filter((parameter) => parameter.required === true).map(({ name }) => name);
    const schema: Schema = { type: 'object', properties, required };
    refuseFields(operation, schema, types);
    keywords.push(`**query: Unpack[${types.typeOf(schema, `${typeName}Query`, 'types.')}]`);
    call.push('query=query');
  }
  const answer = readAnswer(description, typeName, types);
  if (answer.isRedirect) call.push('redirects=True');
  const names = Object.keys(options).filter((name) => name !== 'idempotency_key' || takesKey);
  call.push(...names.map((name) => `${name}=${name}`));
  const { largestLimit } = operation;
  return {
    name: snakeCase(operation.verb),
    about: [...new Set([`${summary}.`, more, `\`${operation.method} ${operation.path}\``])]
      .filter((part) => part !== '')
      .join('\n\n'),
    ids,
    keywords,
    call,
    answer: answer.type,
    ...(largestLimit !== undefined && { list: { item: answer.item, largestLimit } }),
  };
}

/** The body must not have a field that is an argument already. */
function refuseFields({ id }: SdkOperation, schema: Schema, types: PythonTypes): void {
  const taken = Object.keys(types.resolve(schema).properties ?? {}).filter((field) => field in options);
  if (taken.length > 0)
    throw new Error(`Of ${id}, ${taken.join(', ')} cannot be an argument: the SDK has it for each call.`);
}

/** What a method gives: of a success's JSON its type, of a redirect the address, else text or bytes. */
function readAnswer(
  { responses }: Description,
  typeName: string,
  types: PythonTypes,
): { type: string; item: string; isRedirect: boolean } {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const kinds: [string, { schema?: Schema }][] = successes.flatMap(([status, { content = {} }]) =>
    status === '204' ? [['', {}]] : Object.entries(content),
  );
  const parts = kinds.map(([kind, { schema = {} }]) => {
    if (kind === 'application/json') return types.typeOf(schema, `${typeName}Answer`, 'types.');
    if (kind === '') return 'None';
    return kind.startsWith('text/') ? 'str' : 'bytes';
  });
  const json = kinds.find(([kind]) => kind === 'application/json')?.[1].schema ?? {};
  const pageName = json.$ref?.split('/').at(-1) ?? `${typeName}Answer`;
  const items = types.resolve(json).properties?.['data']?.items ?? {};
  return {
    type: [...new Set(parts)].join(' | ') || 'str',
    item: types.typeOf(items, `${pageName}DataItem`, 'types.'),
    isRedirect: successes.length === 0,
  };
}

function writeMethod({ name, about, ids, keywords, call, answer, list }: Method, isAsync: boolean): string {
  const prefix = isAsync ? 'Async' : '';
  const positional = ids.length === 0 ? [] : [...ids.map((id) => `${id}: str`), '/'];
  const args = ['self', ...positional, '*', ...keywords].map((argument) => `        ${argument},\n`).join('');
  const given = `Call(\n${call.map((argument) => `                ${argument},\n`).join('')}            )`;
  const type = list === undefined ? answer : `${prefix}List[${list.item}, ${answer}]`;
  const sent = `${isAsync ? 'await ' : ''}self._send(\n            ${given}\n        )`;
  const value =
    list === undefined
      ? `cast("${answer.replaceAll('"', "'")}", ${sent})`
      : `${prefix}List(\n            self._send,\n            ${given},\n            ${list.largestLimit},\n        )`;
  const isCoroutine = isAsync && list === undefined;
  return `    ${isCoroutine ? 'async ' : ''}def ${name}(\n${args}    ) -> ${type}:\n${docstring(about, 2)}        return ${value}\n`;
}
