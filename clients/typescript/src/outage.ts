/** What an adapter keeps while the service is away. */

import { SkillmountError } from "./problem.ts";

/**
 * A question whose last answer stays while the service is away.
 *
 * @param ask - Asks the service.
 * @param what - What is asked for, for the log.
 * @param log - Says so, once until the service answers again; `console.warn` if absent.
 * @returns The same question. It rejects as `ask` does if there is no answer yet, or if the service refuses it.
 */
export function kept<T>(ask: () => Promise<T>, what: string, log: (message: string) => void = console.warn): () => Promise<T> {
  let last: { answer: T } | undefined;
  let away = false;
  return async () => {
    try {
      last = { answer: await ask() };
      if (away) log(`skillmount: the service answers again; the ${what} are up to date`);
      away = false;
      return last.answer;
    } catch (error) {
      if (!last || !(error instanceof SkillmountError) || !error.retryable) throw error;
      if (!away) log(`skillmount: the ${what} are those of the last answer, because ${error.detail}`);
      away = true;
      return last.answer;
    }
  };
}
