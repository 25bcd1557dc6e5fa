import type { ProviderResponse } from "../ProviderTransport.ts"
import { challengePage, postBackPage } from "../SimulatedIssuer.ts"
import { hexOf } from "./SimulatedAnswers.ts"
import type { Payment } from "./SimulatedPayment.ts"

/** Where a page of the simulated issuer is asked for, and where the buyer's answer to it goes. */
export const startPath = "/payment/mock/init3ds"
export const confirmPath = "/payment/mock/confirm3ds"

/** The page that goes to the shop: a form that posts itself to the issuer. */
export const pageForShop = ({ bin, paymentId, threeDS }: Payment, pagesUrl: string): string =>
  `<!doctype html>
<html lang="en">
<head>
    <title>iyzico Mock 3D-Secure Processing Page</title>
</head>
<body>
<form id="iyzico-3ds-form" action="${pagesUrl}${startPath}" method="post">
    <input type="hidden" name="orderId" value="mock-${paymentId}iyziord">
    <input type="hidden" name="bin" value="${bin}">
    <input type="hidden" name="PaReq" value="${threeDS?.challengeId ?? ""}">
</form>
<script type="text/javascript">
    document.getElementById("iyzico-3ds-form").submit();
</script>
</body>
</html>`

export const issuersPage = (payment: Payment, pagesUrl: string, isAgain: boolean): ProviderResponse =>
  challengePage({
    action: pagesUrl + confirmPath,
    fields: { PaReq: payment.threeDS?.challengeId ?? "" },
    amount: `${(payment.paidPrice / 100).toFixed(2)} ${payment.currency}`,
    last4: payment.last4,
    isAgain
  })

/** Back to the shop, signed (provider sheet, section 3). */
export const backToShop = ({ conversationId, paymentId, threeDS }: Payment, secret: string): ProviderResponse => {
  const mdStatus = `${threeDS?.mdStatus ?? 0}`
  const status = mdStatus === "1" ? "success" : "failure"
  const signature = hexOf(secret, ["", conversationId, mdStatus, paymentId, status].join(":"))
  return postBackPage(threeDS?.callbackUrl ?? "", {
    status,
    paymentId,
    conversationData: "",
    conversationId,
    mdStatus,
    signature
  })
}

/** A challenge is used once, and is known to nobody who does not have its identifier. */
export const noSuchChallenge: ProviderResponse = {
  status: 410,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode("This authentication is over.")
}
