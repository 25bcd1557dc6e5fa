/**
 * The authorization's own state machine: state × command → state. Everything after AUTHORIZED is decided by the sums
 * (`PaymentStatus`). The guard, the documentation's diagram and the property tests read this table.
 */
export const authorizationTransitions = {
  PENDING: {
    authorize: "AUTHORIZED",
    challenge: "REQUIRES_ACTION",
    decline: "DECLINED",
    fail: "FAILED",
    void: "VOIDED"
  },
  REQUIRES_ACTION: { authorize: "AUTHORIZED", await: "PENDING", decline: "DECLINED", fail: "FAILED", void: "VOIDED" },
  AUTHORIZED: {},
  DECLINED: {},
  FAILED: {},
  VOIDED: {}
} as const

export type AuthorizationState = keyof typeof authorizationTransitions
export type AuthorizationCommand = "authorize" | "challenge" | "await" | "decline" | "fail" | "void"

/** The state after a command, or undefined where the table has none. */
export const afterCommand = (
  state: AuthorizationState,
  command: AuthorizationCommand
): AuthorizationState | undefined =>
  (authorizationTransitions[state] as Partial<Record<AuthorizationCommand, AuthorizationState>>)[command]
