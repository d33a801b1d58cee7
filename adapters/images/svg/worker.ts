import { parentPort, workerData } from 'node:worker_threads';
import { ImageError } from '#core/files/kinds.ts';
import { cleanSvg } from '#adapters/images/svg.ts';

/** Worker thread that sanitizes one SVG image, so that a large image does not block the process. */

/** Message of the thread: the sanitized image, or the reason for a refusal. */
export type SvgOutcome = { bytes: Uint8Array } | { message: string };

function clean(): SvgOutcome {
  try {
    return { bytes: new Uint8Array(cleanSvg(workerData as Uint8Array)) };
  } catch (error) {
    if (error instanceof ImageError) return { message: error.message };
    throw error;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(clean());
