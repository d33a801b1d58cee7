/** Folders and tags are listed and made alike. @param {'folder' | 'tag'} noun @param {'folders' | 'tags'} plural */
const commandsOf = (noun, plural) => [
  {
    name: `${noun} list`,
    summary: `List ${plural}.`,
    async run({ client, output }) {
      const labels = [];
      for await (const label of client[plural].list()) labels.push(label);
      output.list(labels, { name: ({ name }) => name, color: ({ color }) => color, id: ({ id }) => id });
    },
  },
  {
    name: `${noun} create`,
    summary: `Make a ${noun}, and print its id.`,
    takes: 'NAME',
    options: { color: { type: 'string', help: 'Like #2563EB. Default: one is chosen.' } },
    async run({ client, values, positionals: [name], output }) {
      const label = await client[plural].create({ name, ...(values.color !== undefined && { color: values.color }) });
      output.result(label, label.id);
    },
  },
];

export const labelCommands = [...commandsOf('folder', 'folders'), ...commandsOf('tag', 'tags')];
