import type { PaymentCurrency } from "../money/Currency.ts"
import type { CardBrand } from "../payments/CardNumber.ts"
import type { Capabilities, OptionalField } from "./Capabilities.ts"
import type { RoutingAction, RoutingPolicy, RoutingRule } from "./RoutingPolicy.ts"

/** What routing looks at in a payment. */
export interface RoutingQuestion {
  readonly paymentId: string
  readonly currency: PaymentCurrency
  readonly minor: bigint
  readonly brand: CardBrand
  readonly billingCountry: string
  /** 1 means none. */
  readonly installment: number
  readonly is3DS: boolean
  /** The optional fields that the request carries. */
  readonly present: ReadonlyArray<OptionalField>
}

/** One provider as routing sees it at this moment. */
export interface RoutingCandidate {
  readonly provider: string
  readonly capabilities: Capabilities
  /** From its circuit breaker: `open` is left out while another can take the payment. */
  readonly health: "closed" | "halfOpen" | "open"
  /** Share of payments approved, 0…1: the organization's own, else the platform's. */
  readonly successRate: number
}

/** Why routing did what it did; stored with the payment and shown as `metadata.routing`, without cost and rates. */
export interface RoutingExplanation {
  readonly order: ReadonlyArray<string>
  /** The rule that applied; null: none did. */
  readonly rule: string | null
  readonly policyVersion: number
  /** Why each provider stands where it does, or was left out. */
  readonly reasons: Readonly<Record<string, string>>
}

const lacks = ({ capabilities }: RoutingCandidate, asked: RoutingQuestion): string | undefined => {
  const { amount, brands, currencies, installments, requires, threeDS } = capabilities
  if (!currencies.includes(asked.currency)) return `does not take ${asked.currency}`
  if (!brands.includes(asked.brand)) return `does not take cards of the brand ${asked.brand}`
  if (amount?.minMinor !== undefined && asked.minor < amount.minMinor) return "the amount is below its smallest"
  if (amount?.maxMinor !== undefined && asked.minor > amount.maxMinor) return "the amount is above its largest"
  if (asked.is3DS && threeDS === undefined) return "has no 3D Secure"
  const missing = requires.filter((field) => !asked.present.includes(field))
  if (missing.length > 0) return `needs ${missing.join(" and ")}`
  return asked.installment > 1 && !hasInstallments(installments, asked) ? noInstallments : undefined
}

const noInstallments = "has no installments for this currency, card or count"

const hasInstallments = (installments: Capabilities["installments"], asked: RoutingQuestion): boolean =>
  installments?.currencies.includes(asked.currency) === true &&
  installments.max >= asked.installment &&
  (installments.brands?.includes(asked.brand) ?? true)

const matches = ({ when }: RoutingRule, asked: RoutingQuestion): boolean =>
  (when.currencies?.includes(asked.currency) ?? true) &&
  (when.countries?.includes(asked.billingCountry) ?? true) &&
  (when.brands?.includes(asked.brand) ?? true) &&
  asked.minor >= (when.minMinor ?? 0n) &&
  asked.minor <= (when.maxMinor ?? asked.minor)

const ruledOut = (action: RoutingAction, provider: string): boolean =>
  (action.type === "only" && !action.providers.includes(provider)) ||
  (action.type === "exclude" && action.providers.includes(provider))

/** FNV-1a, 32 bits, as a share of 1: spreads payment ids evenly and gives the same share for the same id. */
const shareOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash / 2 ** 32
}

/** The provider whose slice of the weights holds the payment's share; undefined when no weight is left. */
const chosenBySplit = (
  weights: Readonly<Record<string, number>>,
  eligible: ReadonlyArray<string>,
  paymentId: string
) => {
  const weightOf = (provider: string) => Math.max(weights[provider] ?? 0, 0)
  let left = shareOf(paymentId) * eligible.reduce((sum, provider) => sum + weightOf(provider), 0)
  for (const provider of eligible) {
    left -= weightOf(provider)
    if (left < 0) return provider
  }
  return undefined
}

const healthRank = { closed: 0, halfOpen: 1, open: 2 } as const

/** Health first, then the billing country's own acquirers, then success in steps of 1 %, then cost, then the name. */
const compareCandidates =
  ({ billingCountry }: RoutingQuestion) =>
  (a: RoutingCandidate, b: RoutingCandidate): number => {
    const abroad = (candidate: RoutingCandidate) =>
      candidate.capabilities.acquiringCountries.includes(billingCountry) ? 0 : 1
    return (
      healthRank[a.health] - healthRank[b.health] ||
      abroad(a) - abroad(b) ||
      Math.round(b.successRate * 100) - Math.round(a.successRate * 100) ||
      a.capabilities.costBasisPoints - b.capabilities.costBasisPoints ||
      (a.provider < b.provider ? -1 : 1)
    )
  }

const firstByRule = (
  action: RoutingAction | undefined,
  order: ReadonlyArray<string>,
  paymentId: string
): ReadonlyArray<string> => {
  if (action?.type === "prefer") return [...new Set(action.providers)].filter((provider) => order.includes(provider))
  if (action?.type !== "split") return []
  const chosen = chosenBySplit(action.weights, [...order].sort(), paymentId)
  return chosen === undefined ? [] : [chosen]
}

/**
 * Which providers may take a payment, in which order, and why (contract section 4). Pure: the same policy, question and
 * candidates give the same answer, in whatever order the candidates come.
 */
export const route = (
  policy: RoutingPolicy,
  asked: RoutingQuestion,
  candidates: ReadonlyArray<RoutingCandidate>
): RoutingExplanation => {
  const rule = policy.rules.find((one) => matches(one, asked))
  const reasons: Record<string, string> = {}
  const able = candidates.filter((candidate) => {
    const lack = lacks(candidate, asked)
    const out =
      rule !== undefined && ruledOut(rule.action, candidate.provider)
        ? `left out by the rule "${rule.name}"`
        : undefined
    const reason = lack ?? out
    if (reason !== undefined) reasons[candidate.provider] = reason
    return reason === undefined
  })
  const healthy = able.filter(({ health }) => health !== "open")
  const usable = healthy.length > 0 ? healthy : able
  for (const { provider } of able) reasons[provider] = "its circuit breaker is open"
  const sorted = [...usable].sort(compareCandidates(asked)).map(({ provider }) => provider)
  const first = firstByRule(rule?.action, sorted, asked.paymentId)
  const order = [...first, ...sorted.filter((provider) => !first.includes(provider))]
  for (const { capabilities, provider } of usable) {
    const local = capabilities.acquiringCountries.includes(asked.billingCountry)
      ? "acquires in the billing country"
      : "acquires from abroad"
    reasons[provider] = first.includes(provider) ? `put first by the rule "${rule?.name ?? ""}"; ${local}` : local
  }
  return { order, rule: rule?.name ?? null, policyVersion: policy.version, reasons }
}

/** Whether installments alone stood in the way: then the fault is the request's (contract section 4). */
export const onlyInstallmentsMissing = (asked: RoutingQuestion, explanation: RoutingExplanation): boolean =>
  asked.installment > 1 && explanation.order.length === 0 && Object.values(explanation.reasons).includes(noInstallments)
