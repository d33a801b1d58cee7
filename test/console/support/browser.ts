import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import type { Plan } from '#core/organizations/plans.ts';
import type { Permissions, Role } from '#core/organizations/permissions.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { eventually, longestWaitMs } from '#test/support/eventually.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { isNight } from '#test/support/night.ts';
import { createSignedIn, type TestPerson } from '#test/support/people.ts';
import type { ConsoleStack } from './stack.ts';

/** A person at a page of the console. Every action is counted: a click, a key chord, a text typed or pasted. */
export interface Visitor {
  page: Page;
  organization: TestOrganization;
  person: TestPerson;
  /** How many actions were done since the last `restart`. */
  actions(): number;
  restart(): void;
  press(chord: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Clicks the control of a role and name. */
  click(role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void>;
  /** Waits until the field of a label has the focus. */
  focused(label: string): Promise<void>;
  /** Pastes a text where the focus is. */
  paste(text: string): Promise<void>;
  /** Drops a CSV file on the page. */
  drop(name: string, text: string): Promise<void>;
  clipboard(): Promise<string>;
  /** Loads a path of the console. */
  open(path: string): Promise<void>;
  /** Cuts the permissions in the session's answer down: no role of today lacks the rights to change. */
  limitTo(permissions: Permissions): Promise<void>;
  /** Waits until the page has its heading, and nothing on it is being loaded. */
  loaded(): Promise<void>;
  /** Expects a call with the organization's key to succeed. @returns the body of the answer. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Errors of the page since it was opened; a flow ends with none. Expected ones are removed by `expectErrors`. */
  expectErrors(pattern: RegExp): void;
}

interface Options {
  plan?: Plan;
  role?: Role;
  language?: string;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// Folder of screenshots of the pages, for a look by a developer; they take half as long as axe (measured).
const { WAYMARK_SCREENSHOTS: pictures } = process.env;

let shared: Browser | undefined;

/** Flows in a browser, which a busy machine may take a minute for; skipped where there is none for this machine. */
export function describeFlows(name: string, flows: () => void): void {
  // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- both come from the file of the flows
  describe.skipIf(!hasBrowser)(name, flows);
}

/** One browser for a test process, with which it ends; each visitor has a context of its own, and fails on errors of its page. */
export function useVisitors(stack: ConsoleStack): (options?: Options) => Promise<Visitor & AsyncDisposable> {
  let browser: Browser;
  beforeAll(async () => {
    if (shared?.isConnected() !== true) shared = await startBrowser();
    browser = shared;
  });

  return async ({ plan = 'premium', role = 'owner', language = 'en-US' } = {}) => {
    const organization = await createOrganization(stack.db, { plan });
    const { headers, ...person } = await createSignedIn(stack.db, organization.id, role);
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: language,
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    });
    const [name, value] = headers.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: stack.url, httpOnly: true, sameSite: 'Lax' }]);
    const page = await context.newPage();
    // Below the limit of a test, so that a failure names the step.
    page.setDefaultTimeout(longestWaitMs);
    const errors = watch(page, stack);
    const expected: RegExp[] = [];
    let count = 0;
    const counted = async (act: Promise<unknown>): Promise<void> => {
      count += 1;
      await act;
    };
    return {
      page,
      organization,
      person,
      actions: () => count,
      restart: () => void (count = 0),
      press: (chord) => counted(page.keyboard.press(chord)),
      type: (text) => counted(page.keyboard.type(text)),
      click: (kind, label) => counted(settled(page).then(() => page.getByRole(kind, { name: label }).first().click())),
      focused: (label) =>
        eventually(() =>
          page.getByLabel(label, { exact: true }).evaluate((field) => field === document.activeElement),
        ).then(() => {}),
      paste: (text) => counted(paste(page, text)),
      drop: (name, text) => counted(drop(page, name, text)),
      clipboard: () => page.evaluate(() => navigator.clipboard.readText()),
      open: async (path) => void (await page.goto(`${stack.url}/console${path}`)),
      async limitTo(permissions) {
        await page.route('**/auth/session', async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), permissions } });
        });
      },
      loaded: () => loaded(page),
      call: (method, path, body) => call(stack, organization.key, method, path, body),
      expectErrors: (pattern) => void expected.push(pattern),
      async [Symbol.asyncDispose]() {
        await close(context);
        const others = errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
        expect(others, `logged meanwhile:\n${stack.log()}`).toEqual([]);
      },
    };
  };
}

async function close(context: BrowserContext): Promise<void> {
  await context.close();
}

/** Notes errors of scripts, refusals of the content security policy, failed calls and requests to other hosts. */
function watch(page: Page, { url, edgeUrl }: ConsoleStack): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const address = request.url();
    if (![url, edgeUrl, 'data:', 'blob:'].some((start) => address.startsWith(start)))
      errors.push(`request: ${address}`);
  });
  return errors;
}

const loading = (page: Page) => page.getByRole('status', { name: /^(?:Loading|Wird geladen)$/ });

async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await eventually(
    () => loading(page).count(),
    (count) => count === 0,
  );
}

/** Rows that come between press and release move a button from under the pointer. What a test withholds is not waited for. */
async function settled(page: Page): Promise<void> {
  await loading(page)
    .first()
    .waitFor({ state: 'detached', timeout: 20_000 })
    .catch(() => {});
}

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  await page.keyboard.press('Control+v');
}

/** Waits until the page takes the file: what listens for it is loaded after the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await eventually(
    () =>
      page.evaluate(
        ([fileName, content]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([content], fileName, { type: 'text/csv' }));
          const send = (type: string): boolean =>
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
          return !send('dragover') && !send('drop');
        },
        [name, text] as const,
      ),
    Boolean,
  );
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
async function call({ url }: ConsoleStack, key: string, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

// States of pages that axe looks at by day, in one of the looks, chosen by their names; by night it looks at all, in both: it takes half
// of the processor time of a flow.
const daily = new Set(
  (
    'activity bad-input cards domain-waiting folders import-preview link list qr rules settings-key-once settings-organization ' +
    'settings-security staff-organization stats-live webhook-well'
  ).split(' '),
);
// Each theme once, each layout once: findings of structure depend on the layout, those of contrast on the theme.
const looks = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const;

/** Opens the dialog of a new link at its section Organize. @returns the field of tags. */
export async function openTagsOfNewLink(visitor: Visitor): Promise<Locator> {
  const { page } = visitor;
  await visitor.open('/links?new=https://example.com/');
  await visitor.focused('Destination');
  await visitor.click('button', 'Organize');
  // The list of folders opens with its section, and hides what is around it.
  await page.getByRole('option').first().waitFor();
  await visitor.press('Escape');
  await page.getByRole('option').first().waitFor({ state: 'detached' });
  return page.getByRole('combobox', { name: 'Tags' });
}

/** Expects no finding of axe on the page as it is, wide and light, narrow and dark, and none that scrolls sideways. */
export async function expectAccessible({ page }: Visitor, name: string): Promise<void> {
  if (!isNight && !daily.has(name)) return;
  await page.evaluate(`${axe};0`);
  const chosen = looks.filter((_look, index) => isNight || index === name.length % looks.length);
  for (const { width, height, colorScheme } of chosen) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    // As high as its content, which may still grow: axe counts controls that bars at the edges hide until the page is scrolled as too small.
    for (let reached = 0, whole: number = height; whole > reached;) {
      reached = whole;
      await page.setViewportSize({ width, height: reached });
      // Colours are those of the next picture.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      whole = await page.evaluate(() => document.documentElement.scrollHeight);
    }
    const findings = await page.evaluate(async () => {
      // oxlint-disable-next-line typescript/no-explicit-any -- axe has just been loaded into the page
      const { violations } = await (globalThis as any).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        // A dialog hides the heading of the page below it.
        rules: { 'page-has-heading-one': { enabled: document.querySelector('[role$="dialog"]') === null } },
        resultTypes: ['violations'],
        preload: false,
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- the same
      return violations.map(({ id, nodes }: any) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
    });
    expect(findings, `${name} at ${width} px, ${colorScheme}`).toEqual([]);
    await expectNoOverflow(page, name);
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
  }
  await page.setViewportSize({ width: 768, height: 900 });
  await expectNoOverflow(page, name);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Menus and dialogs take their new place a moment after the window has another size. */
async function expectNoOverflow(page: Page, name: string): Promise<void> {
  const measure = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(measure, { message: `${name} scrolls sideways` }).toBeLessThanOrEqual(0);
}
