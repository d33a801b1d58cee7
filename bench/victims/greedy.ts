import { type ProductAddress, startGreedy } from '#test/support/tenants.ts';

// A process of its own, so that the time that its bodies take is no part of what the other organization sees.
const { address, key, slug } = JSON.parse(process.argv[2]!) as { address: ProductAddress; key: string; slug: string };
process.once('message', () => {
  const load = startGreedy(address, key, slug);
  process.once('message', () => {
    void load.stop().then((tally) => process.send!(tally, () => process.exit(0)));
  });
});
process.send!('ready');
