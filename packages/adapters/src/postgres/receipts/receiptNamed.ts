/** SQL: the receipt of ours that an expense's `receipt_url` names, as `receiptIdIn` of the domain has it. */
export const receiptNamed = "substring(receipt_url from '/api/receipts/(rcp_[0-7][0-9a-hjkmnp-tv-z]{25})$')"
