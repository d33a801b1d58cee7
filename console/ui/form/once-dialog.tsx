import type { ReactNode } from 'react';
import { Button } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { Dialog } from './dialog.tsx';

interface OnceDialogProps {
  title: string;
  /** Says that no later page shows it; undefined: the children say so. */
  once?: string;
  /** The button that closes it. */
  done: string;
  isWide?: boolean;
  /** Another button, before it. */
  action?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** What no later page shows, such as a secret: neither Escape nor a click beside it takes it away. */
export function OnceDialog({ once, done, action, children, ...dialog }: OnceDialogProps) {
  return (
    <Dialog
      {...dialog}
      isDismissable={false}
      actions={
        <>
          {action}
          <Button variant="primary" onPress={dialog.onClose}>
            {done}
          </Button>
        </>
      }
    >
      {once !== undefined && (
        <Notice tone="warn" icon="key">
          {once}
        </Notice>
      )}
      {children}
    </Dialog>
  );
}
