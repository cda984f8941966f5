# Makes 3,000 messages to the support desk of a shop, in English and German, as CSV with semicolons:
#   awk -f messages.awk </dev/null >messages.csv
# They have typing errors, quotes and line ends; some have no team, some are sent twice, and a few of those were given
# to two teams.

# A number from 0 below n; the same with every awk.
function draw(n) {
  state = (state * 16807) % 2147483647
  return int(state / 2147483647 * n)
}

function pick(list,    parts) { return parts[draw(split(list, parts, "|")) + 1] }

# A letter is left out, or twice there, or two change places. Not every awk knows letters of several bytes.
function mistyped(text,    at, kind) {
  if (text ~ /[^ -~]/) return text
  at = 2 + draw(length(text) - 3)
  kind = draw(3)
  if (kind == 0) return substr(text, 1, at - 1) substr(text, at + 1)
  if (kind == 1) return substr(text, 1, at) substr(text, at)
  return substr(text, 1, at - 1) substr(text, at + 1, 1) substr(text, at, 1) substr(text, at + 2)
}

function message(team, german,    text) {
  if (german) {
    text = pick("Hallo, |Guten Tag, |Sehr geehrte Damen und Herren, |||")
    text = text pick(said[team, "de"])
    return text pick(". Danke|. Bitte um Antwort|. Viele Grüße|!|.||")
  }
  text = pick("Hello, |Hi there, |Dear team, ||||")
  text = text pick(said[team, "en"])
  return text pick(". Thanks|. Please answer soon|. Kind regards|!|.|| :-(")
}

function quoted(text) {
  if (text !~ /[;"\n]/) return text
  gsub(/"/, "\"\"", text)
  return "\"" text "\""
}

function row(text, team) {
  printf "%d;2026-%02d-%02d;%s;%s\n", ++rows, 1 + draw(12), 1 + draw(28), quoted(text), team
}

BEGIN {
  state = 20261129
  said["billing", "en"] = "I was charged twice for order {}|the invoice {} has the wrong amount|my card was debited but the order is not paid|please send the invoice for order {}|the price on the bill is not the one on your page|how can I pay by bank transfer?|you took the money; I never ordered anything|the voucher was not taken off the sum"
  said["billing", "de"] = "die Rechnung {} stimmt nicht|mir wurde zweimal Geld abgebucht|bitte senden Sie mir die Rechnung für Bestellung {}|der Betrag auf der Rechnung ist zu hoch|kann ich per Überweisung zahlen?|der Gutschein wurde nicht abgezogen"
  said["delivery", "en"] = "where is my parcel {}?|order {} should have come last week|the driver left the parcel in the rain|the tracking page shows nothing for {}|can you deliver to another address?|only two of three boxes came|nobody rang; the parcel went back|when will order {} be sent?"
  said["delivery", "de"] = "wo ist mein Paket {}?|die Bestellung {} ist noch nicht angekommen|der Bote hat das Paket im Regen abgestellt|die Sendung {} steht seit Tagen still|können Sie an eine andere Adresse liefern?|es kam nur ein Teil der Lieferung"
  said["account", "en"] = "I cannot log in any more|the link to reset my password does not work|please delete my account|how do I change my e-mail address?|your page says that my password is wrong|I got a code for a login that was not mine|the app asks me to sign in again and again"
  said["account", "de"] = "ich kann mich nicht anmelden|der Link für ein neues Passwort geht nicht|bitte löschen Sie mein Konto|wie ändere ich meine E-Mail-Adresse?|mein Passwort wird nicht angenommen|die App will, dass ich mich immer wieder anmelde"
  said["returns", "en"] = "the lamp arrived broken|I want to send the shoes back|the jacket is too small; can I have another size?|where do I find the label for a return?|the kettle stopped working after two days|this is not the colour that I ordered|I sent order {} back and wait for the money|one cup has a crack"
  said["returns", "de"] = "die Lampe kam kaputt an|ich möchte die Schuhe zurückschicken|die Jacke ist zu klein, kann ich sie tauschen?|wo finde ich den Rücksendeschein?|der Kocher ist nach zwei Tagen defekt|ich habe {} zurückgeschickt und warte auf mein Geld"
  count = split("billing delivery delivery delivery account returns returns", teams, " ")

  print "number;date;message;team"
  while (rows < 3000) {
    team = teams[draw(count) + 1]
    text = message(team, draw(10) < 3)
    while (sub(/\{\}/, 10000 + draw(90000), text)) continue
    if (draw(4) == 0) text = mistyped(text)
    if (draw(30) == 0) text = "FW: \"" text "\""
    if (draw(40) == 0) sub(/, /, ",\n", text)
    row(text, draw(25) == 0 ? "" : team)
    if (rows < 3000 && draw(40) == 0) row(text, draw(4) == 0 ? teams[draw(count) + 1] : team)
  }
}
