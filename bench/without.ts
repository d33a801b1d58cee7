import { registerHooks } from 'node:module';
import { root } from '#scripts/lib/paths.ts';

// `node --import ./bench/without.ts server.ts` runs the product with pieces switched off, so that each one's cost shows. The
// pieces are named in WITHOUT, comma-separated; each has a module here that does nothing in the place of the product's.

const product = (path: string): string => new URL(path, `file://${root}/edge/`).href;
const pieces: Record<string, readonly [product: string, nothing: string]> = {
  journal: [product('journal/journal.ts'), import.meta.resolve('./without/journal.ts')],
  shipper: [product('shipper/shipper.ts'), import.meta.resolve('./without/shipper.ts')],
  enrich: [product('visitor/enricher.ts'), import.meta.resolve('./without/enrich.ts')],
  visitor: [product('visitor/hash.ts'), import.meta.resolve('./without/visitor.ts')],
  agent: [product('visitor/agent.ts'), import.meta.resolve('./without/agent.ts')],
  address: [product('visitor/address.ts'), import.meta.resolve('./without/address.ts')],
  decide: [product('../core/routing/decide.ts'), import.meta.resolve('./without/decide.ts')],
};

const replaced = new Map<string, string>();
for (const name of (process.env.WITHOUT ?? '').split(',').filter(Boolean)) {
  const piece = pieces[name];
  if (piece === undefined) throw new Error(`There is no piece named ${name}.`);
  replaced.set(...piece);
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const url = replaced.get(resolved.url);
    // What takes a module's place may hand on what the module has besides.
    return url === undefined || url === context.parentURL ? resolved : { ...resolved, url };
  },
});
