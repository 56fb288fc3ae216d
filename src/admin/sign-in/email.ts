/**
 * The e-mail addresses that the sign-in library takes: who has another can't sign in with a
 * password. As its own check has it. None of their letters is another one when it is made small.
 */
export const canSignIn = (email: string): boolean =>
  /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(email)
