/** Whether attackers have a password: it was stolen somewhere and is on the lists that they try. */
export type IsBreached = (password: string) => Promise<boolean>;
