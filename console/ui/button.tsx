import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Focusable,
  Tooltip as AriaTooltip,
  TooltipTrigger,
} from 'react-aria-components';
import { Icon, type IconName } from './icon.tsx';
import css from './button.module.css';

interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  /** One `primary` action a page; `danger` for what cannot be undone. Default: normal. */
  variant?: 'primary' | 'normal' | 'plain' | 'danger';
  icon?: IconName;
  size?: 'normal' | 'small';
  /** A key, for instance: shown on hover and focus. */
  hint?: string | undefined;
  /** Why the control is disabled, shown as the hint; undefined: it is not. */
  refusal?: string | undefined;
  children: ReactNode;
}

/**
 * Props of a button while its press is being carried out: it keeps the focus and takes no other press. Not by `isPending` of the library,
 * which refers to the button's name in a live region for 7 s: a button that has left the page by then leaves a mark without a name there.
 */
function pendingProps(type: AriaButtonProps['type']): AriaButtonProps {
  return {
    onPress: undefined,
    // Enter in a field sends the form by its submit button.
    type: type === 'submit' ? 'button' : type,
    render: (props) => <button {...props} aria-disabled="true" data-pending="" />,
  };
}

/** A button with a word. With a hint, a disabled button stays reachable, so that the reason can be read. */
export function Button({
  variant = 'normal',
  icon,
  size = 'normal',
  refusal,
  hint = refusal,
  children,
  isDisabled = refusal !== undefined,
  isPending = false,
  ...rest
}: ButtonProps) {
  const className = [css.button, css[variant], size === 'small' ? css.small : ''].join(' ');
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      {children}
    </>
  );
  if (hint !== undefined && isDisabled) {
    return (
      <TooltipTrigger delay={300}>
        <Focusable>
          <span
            role="button"
            tabIndex={0}
            aria-disabled="true"
            aria-label={rest['aria-label']}
            className={className}
            data-disabled=""
          >
            {content}
          </span>
        </Focusable>
        <Hint>{hint}</Hint>
      </TooltipTrigger>
    );
  }
  const button = (
    <AriaButton {...rest} {...(isPending && pendingProps(rest.type))} isDisabled={isDisabled} className={className}>
      {content}
    </AriaButton>
  );
  if (hint === undefined) return button;
  return (
    <TooltipTrigger delay={300}>
      {button}
      <Hint>{hint}</Hint>
    </TooltipTrigger>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  icon: IconName;
  /** The name of the action: read aloud, and shown on hover. */
  label: string;
}

/** A button with a picture alone. */
export function IconButton(props: IconButtonProps) {
  const {
    icon,
    label,
    variant = 'plain',
    size = 'normal',
    refusal,
    hint = refusal,
    isDisabled,
    isPending,
    ...rest
  } = props;
  return (
    <TooltipTrigger delay={300}>
      <AriaButton
        {...rest}
        {...(isPending && pendingProps(rest.type))}
        isDisabled={isDisabled ?? refusal !== undefined}
        aria-label={label}
        className={[css.button, css[variant], css.icon, size === 'small' ? css.small : ''].join(' ')}
      >
        <Icon name={icon} size={size === 'small' ? 16 : 18} />
      </AriaButton>
      <Hint>{hint === undefined ? label : `${label}: ${hint}`}</Hint>
    </TooltipTrigger>
  );
}

/** A text that appears beside a control while it is hovered or focused. */
function Hint({ children }: { children: ReactNode }) {
  return (
    <AriaTooltip className={css.tooltip} offset={6}>
      {children}
    </AriaTooltip>
  );
}

/** Class names that make a link look like a button. */
export function buttonClass(
  variant: 'primary' | 'normal' | 'plain' = 'normal',
  size: 'normal' | 'small' = 'normal',
): string {
  return [css.button, css[variant], size === 'small' ? css.small : ''].join(' ');
}
