// What scripts/build/sdk.ts generates from the answer of `/doc`.
export default {
  input: 'src/generated/openapi.json',
  output: { path: 'src/generated', module: { extension: '.ts' }, clean: false, entryFile: false },
  plugins: [
    '@hey-api/client-fetch',
    { name: '@hey-api/typescript', comments: true },
    // The client sends the key with every call.
    { name: '@hey-api/sdk', auth: false },
  ],
};
