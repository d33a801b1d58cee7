import { hash, verify } from '@node-rs/argon2';

// The second choice of OWASP's cheat sheet on password storage for argon2id: 19 MiB, two passes, one lane.
const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password with argon2id, in PHC string form. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, settings);
}

export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}
