/** The parts of package-lock.json against which a bill of materials is checked. */
export interface Lock {
  name: string;
  version: string;
  packages: Record<string, LockEntry>;
}

/** A package that the lock file installs, by its path. */
interface LockEntry {
  /** Set where the name is not the end of the path. */
  name?: string;
  version?: string;
  integrity?: string;
  dev?: boolean;
}

/** A component of a CycloneDX document. */
interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
}

/** The used part of a CycloneDX document. */
export interface Sbom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const refOf = (path: string, { name, version }: LockEntry): string =>
  `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`;

/**
 * Corrects the output of `npm sbom`: drops development packages, and uses the product's name instead of the folder's.
 * @throws Error for an invalid document, a missing package or hash, or a duplicate.
 */
export function completeSbom(sbom: Sbom, lock: Lock): Sbom {
  const problems: string[] = [];
  if (sbom.bomFormat !== 'CycloneDX') problems.push('it is no CycloneDX document');
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const needed = new Set(installed.map(([path, entry]) => refOf(path, entry)));
  const components = sbom.components.filter((component) => needed.has(component['bom-ref']));
  const byRef = new Map(components.map((component) => [component['bom-ref'], component]));
  for (const [path, entry] of installed) {
    const component = byRef.get(refOf(path, entry));
    if (component === undefined) {
      problems.push(`${path} is missing`);
      continue;
    }
    if (!component.purl.startsWith('pkg:npm/')) problems.push(`${path} has no package URL`);
    const hashes = new Set(component.hashes?.map(({ content }) => content));
    for (const hash of entry.integrity?.split(' ') ?? ['none']) {
      const content = Buffer.from(hash.slice(hash.indexOf('-') + 1), 'base64').toString('hex');
      if (!hashes.has(content)) problems.push(`${path} lacks its hash`);
    }
  }
  const root = sbom.metadata.component;
  const refs = new Set([root, ...components].map((component) => component['bom-ref']));
  if (refs.size !== components.length + 1) problems.push('a reference is there twice');
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) }));
  if (dependencies.length !== refs.size) problems.push('some packages do not say what they depend on');
  if (problems.length > 0) throw new Error(`The bill of materials is wrong:\n  ${problems.slice(0, 20).join('\n  ')}`);
  const { name, version } = lock;
  return {
    ...sbom,
    components,
    dependencies,
    metadata: {
      ...sbom.metadata,
      component: { ...root, type: 'application', name, version, purl: `pkg:npm/${name}@${version}` },
    },
  };
}
