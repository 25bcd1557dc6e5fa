import { get, post, type Scenario } from "./Scenario.ts"

/** The sandbox organization's own key, an OWNER. */
const key = "authorization: Bearer key_test_sandbox\r\n"

/** Small, so that ten thousand expenses have a thousand pages. */
export const pageSize = 10

/** What the gateway alone can do: the baseline knows no expenses. */
const ofSubject = (subject: Scenario["subject"]): Scenario => ({
  stock: undefined,
  subject,
  baseline: () => () => undefined
})

/** A new DRAFT a request, of a merchant and a category that are known. */
export const create = ofSubject(({ currency, token }) => {
  let count = 0
  return () => {
    count++
    const body = JSON.stringify({
      amount: 10 + (count % 900),
      currency,
      merchant: `Merchant ${count % 400}`,
      category: `Category ${count % 15}`,
      description: `${token}-${count}`
    })
    return { text: post("/api/expenses", key, body) }
  }
})

/** A page of the list: the first, or the one that begins at the cursor. */
export const list = ofSubject(({ cursor }) => {
  const at = cursor === undefined ? "" : `&cursor=${cursor}`
  return () => ({ text: get(`/api/expenses?limit=${pageSize}${at}`, key) })
})

/** What was spent in all, by one of the dimensions. */
export const spendBy = (dimension: string) =>
  ofSubject(() => () => ({ text: get(`/api/reports/spend?group_by=${dimension}`, key) }))

/** The numbers of the first page. */
export const stats = ofSubject(() => () => ({ text: get("/api/stats", key) }))
