import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useUiWords } from '#console/i18n/ui.ts';
import { IconButton } from '#console/ui/button.tsx';
import { DialogMessages, forgetFailedInDialog } from '#console/ui/messages.tsx';
import css from './dialog.module.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  isWide?: boolean;
  /** Buttons at the foot. */
  actions?: ReactNode;
  /** Whether a click beside the dialog and Escape close it. Default: true. */
  isDismissable?: boolean;
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
}

/** A dialog over the page, which says what failed in it. Escape closes it. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  actions,
  isDismissable = true,
  role = 'dialog',
  children,
}: DialogProps) {
  const words = useUiWords();
  const close = (): void => {
    forgetFailedInDialog();
    onClose();
  };
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && close()}
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
            {isDismissable && <IconButton icon="close" label={words.close} onPress={close} />}
          </div>
          <div className={css.body}>{children}</div>
          <DialogMessages />
          {actions !== undefined && <div className={css.foot}>{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
