// What `npm pack` carries: one file each for `import` and `require`, with types.
export default {
  entry: 'src/index.ts',
  format: ['esm', 'cjs'],
  dts: true,
  // Names and lines stay: Node prints the name of an error that nothing catches, and the line that threw it.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: false, legalComments: 'none' } },
  platform: 'neutral',
  target: 'es2022',
  checks: { pluginTimings: false },
  logLevel: 'error',
};
