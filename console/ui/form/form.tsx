import { type ReactNode, useState } from 'react';
import layout from '#console/ui/page/layout.module.css';

interface FormProps {
  /** Read aloud. */
  label?: string;
  id?: string;
  /** Whether it can be sent now. */
  isReady: boolean;
  onSubmit: () => void;
  className?: string | undefined;
  children: ReactNode;
}

/** A form that Enter sends, where it is ready. */
export function Form({ label, id, isReady, onSubmit, className = layout.form, children }: FormProps) {
  return (
    <form
      id={id}
      aria-label={label}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        // To React a dialog's form lies within the form that its button is in.
        event.stopPropagation();
        if (isReady) onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** The texts of a form's fields. `field` gives what a text field needs of them, with what is wrong with it. */
export function useTexts<Texts extends Record<string, string>>(first: Texts) {
  const [texts, setTexts] = useState(first);
  const field = (name: keyof Texts & string, issues: Readonly<Record<string, string>> = {}) => ({
    value: texts[name]!,
    onChange: (text: string): void => setTexts((before) => ({ ...before, [name]: text })),
    error: issues[name],
  });
  return { texts, setTexts, field };
}
