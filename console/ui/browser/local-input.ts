/** Local date and time as `datetime-local` inputs write it. */
export function toLocalInput(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
