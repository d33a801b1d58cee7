import { useEffect, useState } from 'react';

/** A value that follows another one once that has rested for a while. */
export function useDelayed(value: string, milliseconds: number): string {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return delayed;
}
