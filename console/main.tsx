// First: styles of components win over those of elements.
import './ui/tokens.css';
import './ui/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, StrictMode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { connect, readServedPage } from './api/client.ts';
import { ApiError } from './api/error.ts';
import { loadRefusalWords } from './api/refusal.ts';
import { sessionQuery } from './api/people/session.ts';
import { confirm, noteReach, signInAgain } from './app/connection.ts';
import { applyTheme } from './app/preferences.ts';
import { applyLanguage, useLanguage } from './i18n/language.ts';
import { createConsoleRouter } from './routes.tsx';

applyTheme();
applyLanguage();
void loadRefusalWords();

/** Whether the server has another release of the console than the one that runs here. */
async function isReplaced(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src') ?? '';
  const served = await readServedPage();
  return served !== undefined && !served.includes(running);
}

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The client of the API repeats calls itself, as the API asks it to.
      retry: (failures, error) => error instanceof ApiError && error.isPassing && failures < 20,
      retryDelay: (failures) => Math.min(30_000, 1_000 * 2 ** failures),
      staleTime: 5_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
const router = createConsoleRouter(queries);
connect({
  signInAgain,
  confirm,
  onReach: noteReach,
  onForbidden() {
    // The route reads the session, which says whether the organization is suspended.
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }).then(() => router.invalidate());
  },
});

// A part of the page could not be loaded. A new release has other files: then the page loads itself again. Where the API is
// away, the page stays as it is, with all that was typed.
window.addEventListener('vite:preloadError', () => {
  void isReplaced().then((isOld) => isOld && location.reload());
});

/** Gives the components of React Aria the person's language. */
function Localized({ children }: { children: ReactNode }) {
  return <I18nProvider locale={useLanguage() === 'en' ? 'en-US' : 'de-DE'}>{children}</I18nProvider>;
}

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <Localized>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Localized>
  </StrictMode>,
);
