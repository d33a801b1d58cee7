import type { ReactNode } from 'react';
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
        if (isReady) onSubmit();
      }}
    >
      {children}
    </form>
  );
}
