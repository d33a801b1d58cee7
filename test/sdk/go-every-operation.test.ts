// @module-tag process

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { callEveryOperation } from '#test/support/every-operation.ts';
import { bareOf, goSdkFolder, inGoProject, runGo, skipWithoutGo } from '#test/support/go.ts';

/** What the program below answers to a call, a line each. */
interface Line {
  error: string;
  code: string;
  requestId: string;
  /** The answer, read and written again by the types of the SDK; `raw` as it came. */
  answer: unknown;
  raw: string;
}

it(
  'every operation of /doc succeeds by its Go method, which reads every field, and fails by the API’s code',
  { tags: 'nightly' },
  async (context) => {
    await skipWithoutGo(context);
    await inGoProject({ 'main.go': head, 'calls.go': writeCalls() }, async (folder) => {
      await runGo('go', ['build', '-o', 'program', '.'], folder);
      const lost: string[] = [];
      const failures = await callEveryOperation((baseUrl) => {
        const program = spawn(join(folder, 'program'), [baseUrl], { stdio: ['pipe', 'pipe', 'inherit'] });
        const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
        context.onTestFinished(() => void program.kill());
        return async ({ operation: { method, path }, ids, input, file, headers }) => {
          const upload = file && { name: file.name, content: file.content.toString('base64') };
          const asked = { operation: `${method} ${path}`, ids, input, file: upload, headers };
          program.stdin.write(`${JSON.stringify(asked)}\n`);
          const { error, code, requestId, answer, raw } = JSON.parse((await lines.next()).value as string) as Line;
          if (error !== '') throw Object.assign(new Error(error), { code, requestId });
          if (raw !== '' && JSON.stringify(bareOf(answer)) !== JSON.stringify(bareOf(JSON.parse(raw))))
            lost.push(`${method} ${path}: ${raw} became ${JSON.stringify(answer)}`);
          return answer;
        };
      });
      expect(failures).toEqual([]);
      expect(lost).toEqual([]);
    });
  },
);

/** Go's calls of every method of the SDK, by method and path. */
function writeCalls(): string {
  const methods = readFileSync(join(goSdkFolder, 'operations_gen.go'), 'utf8').matchAll(
    /^func \(s \*(\w+)Service\) (\w+)\((ctx context\.Context, )?(.*)options \.\.\.Option\).*\n.*request\{method: "(\w+)", path: "([^"]+)"/gm,
  );
  const cases = [...methods].map(([, noun, verb, context, parameters = '', method, path]) => {
    const ids = /((?:\w+, )*\w+) string, /.exec(parameters)?.[1]?.split(', ') ?? [];
    const input = /(?:body|query) (\w+), /.exec(parameters)?.[1];
    const isList = context === undefined;
    const given = [
      ...(isList ? [] : ['ctx']),
      ...ids.map((_, index) => `asked.IDs[${index}]`),
      ...(input === undefined ? [] : ['input']),
      'options...',
    ];
    const read =
      input === undefined ? '' : `input, err := read[waymark.${input}](asked)\nif err != nil { return nil, err }\n`;
    const upload = /^(ImportShortLinks|UploadImage)Body$/.test(input ?? '') ? 'input.File = asked.file()\n' : '';
    const call = `client.${noun}.${verb}(${given.join(', ')})${isList ? '.Page(ctx)' : ''}`;
    return `case "${method} ${path}":\n${read}${upload}return ${call}\n`;
  });
  return `package main

import (
	"context"
	"errors"

	waymark "github.com/waymark/waymark/sdk/go"
)

func call(ctx context.Context, client *waymark.Client, asked invocation, options []waymark.Option) (any, error) {
	switch asked.Operation {
${cases.join('')}}
	return nil, errors.New("the SDK has no such call")
}
`;
}

const head = `package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	waymark "github.com/waymark/waymark/sdk/go"
)

type invocation struct {
	Operation string
	IDs       []string
	Input     json.RawMessage
	Headers   map[string]string
	File      struct {
		Name    string
		Content []byte
	}
}

func (asked invocation) file() waymark.File {
	return waymark.File{Name: asked.File.Name, Content: bytes.NewReader(asked.File.Content)}
}

// read refuses fields that the SDK does not have.
func read[T any](asked invocation) (T, error) {
	var input T
	if asked.Input == nil {
		return input, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(asked.Input))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&input)
	return input, err
}

// recorder keeps the JSON of the latest answer.
type recorder struct{ raw string }

func (kept *recorder) RoundTrip(sent *http.Request) (*http.Response, error) {
	kept.raw = ""
	response, err := http.DefaultTransport.RoundTrip(sent)
	if err == nil && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		data, _ := io.ReadAll(response.Body)
		kept.raw = string(data)
		response.Body = io.NopCloser(bytes.NewReader(data))
	}
	return response, err
}

func main() {
	kept := &recorder{}
	client := waymark.New(os.Args[1], waymark.WithMaxRetries(0), waymark.WithHTTPClient(&http.Client{Transport: kept}))
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked invocation
		if input.Decode(&asked) != nil {
			return
		}
		var options []waymark.Option
		for name, value := range asked.Headers {
			options = append(options, waymark.WithHeader(name, value))
		}
		line := map[string]any{"error": ""}
		answer, err := call(context.Background(), client, asked, options)
		line["raw"], line["answer"] = kept.raw, answer
		if err != nil {
			line["error"] = err.Error()
			var failure *waymark.Error
			if errors.As(err, &failure) {
				line["code"], line["requestId"] = failure.Code, failure.RequestID
			}
		} else if stream, ok := answer.(io.ReadCloser); ok {
			_, _ = io.Copy(io.Discard, stream)
			_ = stream.Close()
			line["raw"], line["answer"] = "", nil
		}
		_ = output.Encode(line)
	}
}
`;
