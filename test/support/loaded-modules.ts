import { execFileSync } from 'node:child_process';

/** Loads a module in a process of its own. @returns the URLs of all modules that it loads at once. */
export function loadedModules(file: string): string[] {
  const code = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(`./${file}`)});
    console.log(JSON.stringify(urls));
    process.exit();
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  return JSON.parse(output) as string[];
}
