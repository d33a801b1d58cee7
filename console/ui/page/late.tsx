import {
  Component,
  type ComponentType,
  createElement,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
  useReducer,
} from 'react';
import { ApiError } from '#console/api/error.ts';
import { readServedPage } from '#console/api/client.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { sayFailed } from '#console/ui/messages.tsx';
import { Failed } from './states.tsx';

// A server that takes connections and answers nothing would keep a page waiting for minutes.
const longestLoadMs = 10_000;

class PartMissingError extends ApiError {
  constructor() {
    super(0, { code: 'OFFLINE', message: 'The API did not answer.' });
  }
}

/** What stands in the place of a part that could not be loaded: why and a button; a message over the page; nothing. */
type Instead = 'box' | 'message' | 'nothing';

/**
 * A component from a file that is loaded when it is needed. A load that fails, or takes longer than
 * ten seconds, can be tried again: `lazy` alone would show the error of the first load for good, and the router's own
 * `lazyRouteComponent` would load the page again at once, of which nothing is left while the API is away.
 * @param waiting stands in its place until it is there. Default of a box: the caller's Suspense has the place, as of a whole page.
 */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  instead: Instead = 'box',
  waiting: ReactNode = instead === 'box' ? undefined : null,
): ((props: Props) => ReactNode) & { preload: () => Promise<void> } {
  const begin = (failed?: () => Promise<void>) =>
    lazy(async () => ({
      default: await inTime(load()).catch(async (error: unknown) => {
        isDrawn = false;
        await failed?.();
        throw error;
      }),
    }));
  let Part: ComponentType<Props> = begin();
  // Another component in the place of one that is drawn would lose what was typed there.
  let isDrawn = false;
  function Late(props: Props) {
    useEffect(() => {
      isDrawn = true;
    }, []);
    const [, redraw] = useReducer((count: number) => count + 1, 0);
    const retry = (): void => {
      Part = begin(reloadWhereServed);
      redraw();
    };
    const part = createElement(Part, props);
    return (
      <Boundary instead={instead} onRetry={retry}>
        {waiting === undefined ? part : <Suspense fallback={waiting}>{part}</Suspense>}
      </Boundary>
    );
  }
  // The place of the part says what failed.
  Late.preload = async (): Promise<void> => {
    try {
      const loaded = await inTime(load());
      if (!isDrawn) Part = loaded;
    } catch {}
  };
  return Late;
}

/** Loads the page again where the API answers: browsers keep the failure of a file that they could not load. */
async function reloadWhereServed(): Promise<void> {
  if ((await readServedPage()) !== undefined) location.reload();
}

async function inTime<T>(loading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new PartMissingError()), longestLoadMs);
  });
  try {
    return await Promise.race([loading, tooLate]);
  } catch {
    throw new PartMissingError();
  } finally {
    clearTimeout(timer);
  }
}

interface BoundaryProps {
  instead: Instead;
  onRetry: () => void;
  children: ReactNode;
}

class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { instead, onRetry, children } = this.props;
    if (error === undefined) return children;
    // Errors of the part itself belong to the page.
    if (!(error instanceof PartMissingError)) throw error;
    const retry = (): void => {
      this.setState({ error: undefined });
      onRetry();
    };
    if (instead === 'nothing') return null;
    return instead === 'box' ? <Failed error={error} onRetry={retry} /> : <Message error={error} onRetry={retry} />;
  }
}

function Message({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const words = useUiWords();
  const say = useEffectEvent(() => sayFailed(words.notLoaded, error, { label: words.tryAgain, onPress: onRetry }));
  useEffect(() => say(), []);
  return null;
}
