import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { initialLanguage, type Language, LanguageContext, rememberLanguage } from '#console/i18n/language.ts';

const SetLanguageContext = createContext<(language: Language) => void>(() => {});

/** @returns a function that changes the language of the console. */
export function useSetLanguage(): (language: Language) => void {
  return useContext(SetLanguageContext);
}

/** Gives pages the person's language. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const change = useCallback((next: Language): void => {
    rememberLanguage(next);
    setLanguage(next);
  }, []);
  return (
    <SetLanguageContext value={change}>
      <LanguageContext value={language}>
        <I18nProvider locale={language === 'en' ? 'en-US' : 'de-DE'}>{children}</I18nProvider>
      </LanguageContext>
    </SetLanguageContext>
  );
}
