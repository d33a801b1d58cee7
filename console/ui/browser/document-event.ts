import { useEffect, useEffectEvent } from 'react';

/** Hears an event of the document while the component is shown. */
export function useDocumentEvent<Name extends keyof DocumentEventMap>(
  name: Name,
  onEvent: (event: DocumentEventMap[Name]) => void,
): void {
  const hear = useEffectEvent(onEvent);
  useEffect(() => {
    const listener = (event: DocumentEventMap[Name]): void => hear(event);
    document.addEventListener(name, listener);
    return () => document.removeEventListener(name, listener);
  }, [name]);
}
