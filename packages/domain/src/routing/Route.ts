import type { PaymentCurrency } from "../money/Currency.ts"
import type { CardBrand } from "../payments/CardNumber.ts"
import type { Capabilities, OptionalField } from "./Capabilities.ts"
import type { Health } from "./ProviderHealth.ts"
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
  /** `open` is left out while another can take the payment; see `probeShare` for `halfOpen`. */
  readonly health: Health
  /** Share of payments approved, 0…1: the organization's own, else the platform's. */
  readonly successRate: number
}

/** What the order of one provider was decided by. For operators only (contract section 4). */
export interface RoutingFigures {
  readonly provider: string
  readonly costBasisPoints: number
  readonly successRate: number
  readonly health: Health
}

/** Why routing did what it did; stored with the payment and shown as `metadata.routing`, without `decidedBy`. */
export interface RoutingExplanation {
  readonly order: ReadonlyArray<string>
  /** The rule that applied; null: none did. */
  readonly rule: string | null
  readonly policyVersion: number
  /** Why each provider stands where it does, or was left out. */
  readonly reasons: Readonly<Record<string, string>>
  /** Of every provider that was able to take the payment, by name; absent in payments from before this was kept. */
  readonly decidedBy?: ReadonlyArray<RoutingFigures>
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
  asked.minor <= (when.maxMinor ?? asked.minor) &&
  asked.installment >= (when.minInstallment ?? 1) &&
  asked.installment <= (when.maxInstallment ?? asked.installment) &&
  asked.is3DS === (when.is3DS ?? asked.is3DS)

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

/**
 * The share of payments for which a half-open provider counts as sound: their answers decide whether it is. The others
 * go elsewhere meanwhile, so that its failing again costs few payments time.
 */
const probeShare = 0.1

/** What decides where a provider stands among those that can take the payment. */
interface Standing {
  readonly provider: string
  readonly health: Health
  /** 0 for the sound and those being tried again, 1 for the half-open, 2 for the open. */
  readonly healthRank: number
  /** Whether it can be asked after a lost answer. */
  readonly isAskable: boolean
  /** Whether it acquires in the billing country. */
  readonly isLocal: boolean
  /** Of payments approved, whole: a difference of less than one percent says nothing. */
  readonly percent: number
  readonly costBasisPoints: number
}

const healthRankOf = ({ health, provider }: RoutingCandidate, paymentId: string): number => {
  if (health === "closed") return 0
  if (health === "open") return 2
  return shareOf(`${provider} ${paymentId}`) < probeShare ? 0 : 1
}

const standingOf = (candidate: RoutingCandidate, asked: RoutingQuestion): Standing => {
  const { capabilities, health, provider, successRate } = candidate
  return {
    provider,
    health,
    healthRank: healthRankOf(candidate, asked.paymentId),
    isAskable: capabilities.query.byReference,
    isLocal: capabilities.acquiringCountries.includes(asked.billingCountry),
    percent: Math.round(successRate * 100),
    costBasisPoints: capabilities.costBasisPoints
  }
}

/** True first. */
const first = (a: boolean, b: boolean): number => Number(b) - Number(a)

/**
 * Health first, then who can be asked after a lost answer (a payment there is settled within minutes, elsewhere by
 * hand), then the billing country's own acquirers, then success in steps of 1 %, then cost, then the name.
 */
const compareStandings = (a: Standing, b: Standing): number =>
  a.healthRank - b.healthRank ||
  first(a.isAskable, b.isAskable) ||
  first(a.isLocal, b.isLocal) ||
  b.percent - a.percent ||
  a.costBasisPoints - b.costBasisPoints ||
  (a.provider < b.provider ? -1 : 1)

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

const openReason = "its circuit breaker is open"

const healthInWords = ({ health, healthRank }: Standing): string => {
  if (health === "closed") return "healthy"
  if (health === "open") return `${openReason}, as are all others'`
  return healthRank === 0 ? "was failing and is tried again" : "was failing, so it comes after the healthy"
}

/** Why a provider stands where it does, without a figure: `acquires in the billing country; healthy; …`. */
const inWords = (standing: Standing, bestPercent: number): string => {
  const place = standing.isLocal ? "acquires in the billing country" : "acquires from abroad"
  const approves = standing.percent === bestPercent ? "as often as the best" : "less often than the best"
  const lost = standing.isAskable ? "" : "; cannot be asked after a lost answer"
  return `${place}; ${healthInWords(standing)}; approves ${approves}${lost}`
}

const figuresOf = (able: ReadonlyArray<RoutingCandidate>): ReadonlyArray<RoutingFigures> =>
  able
    .map(({ capabilities, health, provider, successRate }) => ({
      provider,
      costBasisPoints: capabilities.costBasisPoints,
      successRate,
      health
    }))
    .sort((a, b) => (a.provider < b.provider ? -1 : 1))

/**
 * Which providers may take a payment, in which order, and why (contract section 4). Pure: the same policy, question and
 * candidates give the same answer, in whatever order the candidates come. A rule's choice goes before all but health.
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
  const usable = (healthy.length > 0 ? healthy : able)
    .map((candidate) => standingOf(candidate, asked))
    .sort(compareStandings)
  for (const { provider } of able) reasons[provider] = openReason
  const bestRank = usable[0]?.healthRank ?? 0
  const soundest = usable.filter(({ healthRank }) => healthRank === bestRank)
  const ruled = firstByRule(
    rule?.action,
    soundest.map(({ provider }) => provider),
    asked.paymentId
  )
  const bestPercent = Math.max(...usable.map(({ percent }) => percent))
  for (const standing of usable) {
    const words = inWords(standing, bestPercent)
    reasons[standing.provider] = ruled.includes(standing.provider)
      ? `put first by the rule "${rule?.name ?? ""}"; ${words}`
      : words
  }
  const rest = usable.map(({ provider }) => provider).filter((provider) => !ruled.includes(provider))
  return {
    order: [...ruled, ...rest],
    rule: rule?.name ?? null,
    policyVersion: policy.version,
    reasons,
    decidedBy: figuresOf(able)
  }
}

/** Whether installments alone stood in the way: then the fault is the request's (contract section 4). */
export const onlyInstallmentsMissing = (asked: RoutingQuestion, explanation: RoutingExplanation): boolean =>
  asked.installment > 1 && explanation.order.length === 0 && Object.values(explanation.reasons).includes(noInstallments)
