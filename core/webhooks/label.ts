/** What people call a webhook: its name, else the host of its URL, whose path and query may hold secrets of the receiver. */
export const webhookLabel = ({ name, url }: { name?: string | null; url: string }): string => name ?? new URL(url).host;
