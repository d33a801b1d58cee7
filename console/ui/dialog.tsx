import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, IconButton } from './button.tsx';
import css from './dialog.module.css';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  isWide?: boolean;
  /** Buttons at the foot. */
  actions?: ReactNode;
  /** Whether a click beside the dialog and Escape close it. Default: true. */
  isDismissable?: boolean;
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
}

/** A dialog over the page. Escape closes it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  isWide = false,
  actions,
  isDismissable = true,
  role = 'dialog',
  children,
}: DialogProps) {
  const words = useUiWords();
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      className={css.overlay}
    >
      <Modal className={[css.modal, isWide ? css.wide : ''].join(' ')}>
        <AriaDialog role={role} className={css.dialog}>
          <div className={css.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {isDismissable && <IconButton icon="close" label={words.close} onPress={onClose} />}
          </div>
          <div className={css.body}>{children}</div>
          {actions !== undefined && <div className={css.foot}>{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** What the button does, as a verb. */
  confirmLabel: string;
  onConfirm: () => void;
  isDanger?: boolean;
  isPending?: boolean;
  /** A gentler way, offered first. */
  instead?: { label: string; onPress: () => void } | undefined;
  isConfirmDisabled?: boolean;
  children: ReactNode;
}

/** Asks before something that cannot be taken back. Enter confirms. */
export function Confirm({
  confirmLabel,
  onConfirm,
  isDanger = false,
  isPending = false,
  instead,
  isConfirmDisabled = false,
  children,
  ...dialog
}: ConfirmProps) {
  const words = useUiWords();
  const confirm = (
    <Button
      variant={isDanger ? 'danger' : 'primary'}
      onPress={onConfirm}
      isPending={isPending}
      isDisabled={isConfirmDisabled}
      autoFocus={instead === undefined && !isConfirmDisabled}
    >
      {confirmLabel}
    </Button>
  );
  return (
    <Dialog
      {...dialog}
      role="alertdialog"
      actions={
        <>
          <Button variant="plain" onPress={dialog.onClose}>
            {words.cancel}
          </Button>
          {instead !== undefined && (
            <Button onPress={instead.onPress} autoFocus>
              {instead.label}
            </Button>
          )}
          {confirm}
        </>
      }
    >
      {children}
    </Dialog>
  );
}
