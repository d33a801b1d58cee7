// Configuration of @hey-api/openapi-ts: Node.js reads the client as it is, by imports that end in `.ts`.
export default {
  output: { path: 'client', module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
