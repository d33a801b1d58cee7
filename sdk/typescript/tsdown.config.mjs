// What `npm pack` carries: one file each for `import` and `require`, with types.
export default {
  entry: 'src/index.ts',
  format: ['esm', 'cjs'],
  dts: true,
  // Names stay: those of errors are seen in logs.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, legalComments: 'none' } },
  platform: 'neutral',
  target: 'es2022',
  checks: { pluginTimings: false },
  logLevel: 'error',
};
