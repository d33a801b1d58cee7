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

type ButtonVariant = 'primary' | 'normal' | 'plain' | 'danger';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  /** One `primary` action a page; `danger` for what cannot be undone. Default: normal. */
  variant?: ButtonVariant;
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

/** Class names that make a link look like a button. */
export function buttonClass(variant: ButtonVariant = 'normal', size: 'normal' | 'small' = 'normal'): string {
  return [css.button, css[variant], size === 'small' ? css.small : ''].join(' ');
}

/** A button with a word. With a hint, a disabled button stays reachable, so that the reason can be read. */
export function Button({
  variant,
  icon,
  size,
  refusal,
  hint = refusal,
  children,
  isDisabled: isOff = false,
  isPending = false,
  ...rest
}: ButtonProps) {
  const isDisabled = isOff || refusal !== undefined;
  const className = buttonClass(variant, size);
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      {children}
    </>
  );
  const button =
    hint !== undefined && isDisabled ? (
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
    ) : (
      <AriaButton {...rest} {...(isPending && pendingProps(rest.type))} isDisabled={isDisabled} className={className}>
        {content}
      </AriaButton>
    );
  return hint === undefined ? button : <Hinted hint={hint}>{button}</Hinted>;
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  icon: IconName;
  /** The name of the action: read aloud, and shown on hover. */
  label: string;
}

/** A button with a picture alone. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, variant = 'plain', size, refusal, hint = refusal, isDisabled, isPending, ...rest } = props;
  return (
    <Hinted hint={hint === undefined ? label : `${label}: ${hint}`}>
      <AriaButton
        {...rest}
        {...(isPending && pendingProps(rest.type))}
        isDisabled={isDisabled ?? refusal !== undefined}
        aria-label={label}
        className={`${buttonClass(variant, size)} ${css.icon}`}
      >
        <Icon name={icon} size={size === 'small' ? 16 : 18} />
      </AriaButton>
    </Hinted>
  );
}

/** A control with a text that appears beside it while it is hovered or focused. */
function Hinted({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <TooltipTrigger delay={300}>
      {children}
      <AriaTooltip className={css.tooltip} offset={6}>
        {hint}
      </AriaTooltip>
    </TooltipTrigger>
  );
}

interface OutLinkProps {
  href: string;
  /** Read aloud; undefined: the word beside the picture. */
  label?: string;
  variant?: 'normal' | 'plain';
  size?: 'normal' | 'small';
  children?: ReactNode;
}

/** A link that looks like a button and opens another site in a tab of its own. */
export function OutLink({ href, label, variant, size, children }: OutLinkProps) {
  return (
    <a className={buttonClass(variant, size)} href={href} target="_blank" rel="noreferrer" aria-label={label}>
      <Icon name="external" size={size === 'small' ? 16 : 18} />
      {children}
    </a>
  );
}
