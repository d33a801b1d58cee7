/** Options that every command takes. */
export const common = {
  json: { type: 'boolean', help: 'Print JSON, as the API answers it.' },
  profile: { type: 'string', help: 'The profile that `waymark login --profile` has stored. Default: default.' },
  host: { type: 'string', help: 'Address of the API, in place of the profile’s.' },
  help: { type: 'boolean', short: 'h', help: 'Print this.' },
};

/** The options of a command: one that writes a file prints no JSON. */
export function optionsOf({ options, writesFile }) {
  const { json, ...others } = common;
  return { ...options, ...others, ...(writesFile === true ? {} : { json }) };
}
