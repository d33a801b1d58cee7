import { useState } from 'react';
import type { Tool, ToolInput } from '#console/api/staff.ts';
import { ReasonDialog } from '#console/staff/dialogs.tsx';
import type { ProcessesSearch } from '#console/staff/search.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Link } from '@tanstack/react-router';
import { useTool } from '#console/staff/use-tool.ts';
import { Chip } from '#console/ui/page/states.tsx';

/** The way to an organization; nothing on its own page. */
export function Owner({ id, isShown }: { id: string | null; isShown: boolean }) {
  const words = useStaffWords();
  if (!isShown) return null;
  if (id === null) return <Chip>{words.platform}</Chip>;
  return (
    <Link className={buttonClass('plain', 'small')} to="/staff/organizations/$id" params={{ id }}>
      {words.organization}
    </Link>
  );
}

/** The way to the processes of a link, a domain or a webhook. */
export function Processes({ search, name }: { search: ProcessesSearch; name: string }) {
  const words = useStaffWords();
  return (
    <Link
      className={buttonClass('normal', 'small')}
      to="/staff/processes"
      search={search}
      aria-label={words.processesOf(name)}
    >
      {words.pages.processes}
    </Link>
  );
}

interface ToolButtonProps<Path extends Tool> {
  path: Path;
  input: ToolInput<Path>;
  children: string;
  /** Read aloud: what the button does, and to what. */
  label: string;
  /** What is said when it worked. */
  done: string;
  variant?: 'normal' | 'danger';
  onDone?: () => void;
}

/** A button that changes something at once. */
export function ToolButton<Path extends Tool>(props: ToolButtonProps<Path>) {
  const { path, input, children, label, done, variant = 'normal', onDone } = props;
  const tool = useTool(path, done, onDone);
  return (
    <Button
      size="small"
      variant={variant}
      isPending={tool.isPending}
      aria-label={label}
      onPress={() => tool.send(input)}
    >
      {children}
    </Button>
  );
}

interface TakeDownProps {
  kind: 'links' | 'files';
  id: string;
  name: string;
  onDone?: () => void;
}

/** Takes a link or a file down, with the reason that its organization reads. */
export function TakeDown({ kind, id, name, onDone }: TakeDownProps) {
  const words = useStaffWords();
  const [isAsking, setAsking] = useState(false);
  const takeDown = useTool(`${kind}.takeDown`, words.takenDown(name), () => {
    setAsking(false);
    onDone?.();
  });
  return (
    <>
      <Button size="small" variant="danger" onPress={() => setAsking(true)} aria-label={words.takeDownOne(name)}>
        {words.takeDown}
      </Button>
      {isAsking && (
        <ReasonDialog
          title={words.takeDownOne(name)}
          text={kind === 'links' ? words.takeDownText : words.takeFileDownText}
          submitLabel={words.takeDown}
          isDanger
          isPending={takeDown.isPending}
          onReason={(reason) => takeDown.send({ id, reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Takes a link or a file down, or gives it back. */
export function TakeDownOrRestore({ isOff, ...rest }: Omit<TakeDownProps, 'onDone'> & { isOff: boolean }) {
  const words = useStaffWords();
  const { kind, id, name } = rest;
  if (!isOff) return <TakeDown {...rest} />;
  return (
    <ToolButton path={`${kind}.restore`} input={{ id }} label={words.restoreOne(name)} done={words.restored(name)}>
      {words.restore}
    </ToolButton>
  );
}
