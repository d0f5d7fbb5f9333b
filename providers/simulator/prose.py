"""The words the simulator says: a guild bot in a fantasy tavern, and a support desk. All of it is our own."""

from collections.abc import Iterator
from random import Random

TAVERN = (
    "The Lantern and Oar is fuller than usual tonight, so pull a stool up to the hearth and mind the "
    "cat. The ferry came in late with salt, two sacks of apples and a bard who insists that he once "
    "beat a troll at chess. Nobody believes him, but he sings well, and Marta has promised him soup for "
    "every song that makes the dwarves put down their dice.",
    "Since you asked about the board by the door: there are four notices on it this week. The miller "
    "wants his well cleared of whatever has been humming in it after dark. The chapel needs an escort "
    "for a cart of candles. Old Brannoc has lost a map, a boot and his temper, in that order. And "
    "somebody has pinned up a drawing of the north bridge with a red circle around the third arch and "
    "no word of explanation.",
    "I would start with the bridge. Three caravans have crossed it this month and each of them lost "
    "exactly one barrel, never two, never the dear wine, always the pickled herring. A thief with a "
    "purse to fill would choose differently. A thief who lives under cold stone and has not eaten since "
    "the thaw would not. Take fish, take a lantern with a shutter, and take somebody who can speak "
    "politely to something with teeth.",
    "Here is who is free. Ysolde knows the river and owes you a favour. Tam is strong, cheerful and "
    "afraid of frogs, which may matter. Quill reads six scripts and writes in none of them legibly. If "
    "all three come, the guild pays for the mules; if only one does, you carry your own rope and I mark "
    "the job as a stroll.",
    "Supplies are in the cellar, second shelf on the left. I have put aside forty feet of rope, a "
    "bundle of torches, chalk, a small bell, bandages and the good whistle. Sign for the whistle, "
    "please. The last party brought back a dragon's tooth, a wedding invitation and a goat, but not the "
    "whistle, and the treasurer still mentions it whenever the accounts are read aloud.",
    "The road itself is easy until the standing stones. After that the mist rises at about the hour "
    "when the lamps are lit, and it has a habit of repeating what travellers say a little while after "
    "they have said it. It is harmless, but it makes for odd conversations. Agree on a word before you "
    "go in, and trust no voice that does not use it, even if it sounds like your mother and tells you "
    "to button your coat.",
    "When you reach the bridge, do not shout. Count the arches from the near bank, set the lantern down "
    "by the third, and ring the bell once. If nothing happens, wait. If something very large breathes "
    "in, offer the herring first and the questions second. I have written three questions on the back "
    "of the notice: what is your name, who hurt you, and would you consider being paid in fish to keep "
    "the bridge safe in winter.",
    "Should it come to a fight, remember that the guild does not need heroes, it needs members who come "
    "home. The bell rung twice means fall back to the stones. Rung three times it means run, and leave "
    "the mules. I will keep the kitchen open until midnight and a candle in the upper window until the "
    "last of you is through the door, as we always have.",
    "One more thing before you go. The baker's daughter left a parcel for the party that takes the "
    "bridge: nine honey cakes, still warm, and a note that says the ninth one is not for you. I think "
    "she has been down to the river more often than she tells her father. If the creature already knows "
    "the taste of honey, that may be the kindest weapon in the whole valley, so carry it on top and "
    "keep it dry.",
    "While the others get their boots on, a word about pay. The caravan masters put twelve silver in "
    "the pot, the innkeepers along the road added five and a smoked ham, and the abbot promised to "
    "mention you in his prayers, which he does loudly. Half of it is yours when you leave and half when "
    "the next cart crosses with all of its barrels. The ham is not divisible by three, I have tried, so "
    "settle that among yourselves before you are hungry.",
    "You will want to know about the last people who looked. Two hunters went up in the spring, saw "
    "lights under the water, and came home to grow beans. A scholar from the city measured the arches, "
    "wrote down that the third is a hand lower than the others, and left the next morning without his "
    "tent. I have kept the tent. It is in the cellar beside the rope, it smells of lamp oil, and it is "
    "a good deal better than sleeping on wet stone.",
    "If the river is higher than the painted mark, do not cross on foot. Wake the ferryman instead; he "
    "grumbles, but he has never yet refused a guild badge, and he knows a song that the water seems to "
    "like. Pay him in tobacco, not in coin, and do not ask about his brother. On the far bank there is "
    "a shepherd's hut with a dry floor and a bad door, where you can wait for the light without being "
    "seen from the bridge.",
    "There, that is everything I know, and a little that I only suspect. Finish your drink, tighten "
    "your straps and tell me who leads, so that I can write it in the book. The ink is slow to dry in "
    "this weather, which gives everybody a moment to change their mind, and nobody has ever been "
    "thought the worse for using it.",
)

SUPPORT = (
    "Thanks for writing in, and sorry about the trouble. I have looked at your order and at the last "
    "messages on this ticket, so you will not have to explain it all again. In short: the lamp was sent "
    "on Tuesday, the parcel reached the depot the next morning, and there it has been standing still "
    "ever since because the label came loose. Nothing is lost, it only needs somebody to put a name "
    "back on it.",
    "I have asked the depot for exactly that and attached a photograph of the box, so they can find it "
    "by its green tape. That usually takes one working day. If the tracking page has not moved by "
    "tomorrow at noon, I will send a second lamp the same afternoon without waiting for the first; "
    "should both arrive, keep the spare, or hand it back to the driver, whichever is less bother for "
    "you.",
    "You also asked why the switch clicks twice. The first click wakes the lamp and the second one "
    "chooses the brightness, which is clever and confuses everybody. Hold the switch for four seconds "
    "until the light blinks, and from then on one click is enough. It remembers that setting even when "
    "it is unplugged, and the same trick, held for eight seconds, brings the factory behaviour back.",
    "Last, the invoice. It shows the old address because it was written before you moved; I have made a "
    "corrected copy and sent it to your accounts department, with the same number so that nothing is "
    "booked twice. Is there anything else I can take off your list today? If not, I will leave this "
    "ticket open until the parcel is in your hands, and close it only when you say that the light is "
    "on.",
)

REASONING = (
    "The user wants to know what is going on at the north bridge and whom to send. Let me collect what "
    "I know first. Three caravans, one barrel each, always herring. That pattern is too regular for "
    "bandits: they would take the wine, and they would not stop at one.",
    "So hunger, not greed. What lives near cold running water, is strong enough to lift a full barrel, "
    "and is shy enough that nobody has seen it? A river troll would fit, but the tracks in the mud had "
    "webbed toes. A young lake drake fits better, and the melt came early, so its usual pools will be "
    "empty of fish.",
    "If it is a drake, a fight would be dangerous and also unnecessary. Offer food, find out whether it "
    "is hurt, and give it a reason to stay friendly. The guild has budget for fish; it has none for new "
    "mules.",
    "Who should go? Someone who knows the river, so Ysolde. Someone who can lift, so Tam, although "
    "there may be frogs. Quill for the old markings on the third arch: that red circle on the notice is "
    "probably a ward that has worn away. Check the weather: mist after dusk, so they must leave before "
    "four.",
    "Let me check the other explanations before I settle on one. A smuggler with a grudge against one "
    "merchant? No, the three caravans belonged to three houses. The ferryman, who loses trade to the "
    "bridge? He would scare people off, not feed himself. A ghost? Ghosts do not like herring, or at "
    "least none of the reports in the book mention it, and the barrels were found empty and licked "
    "clean.",
    "What could go wrong: the mist copies voices, so the party needs a password. The bell must not be "
    "rung more than once near the arch, or it will sound like the signal to run. And if the creature is "
    "nesting, then even a friendly visit is a threat; in that case they should leave the fish at the "
    "second arch and come back the next day with more.",
    "Answer plan: say what I think it is and how sure I am, name the three people, list what to carry, "
    "and give one clear rule for when to turn back. Keep it short enough to read aloud by the fire.",
)

ANSWER = (
    "I am fairly sure that this is no thief but a hungry young lake drake under the third arch. Send "
    "Ysolde for the river, Tam for the lifting and Quill for the worn ward on the stone.",
    "Carry a barrel of herring, the small bell, a shuttered lantern and forty feet of rope, and leave "
    "before four, because the mist comes with the dusk. Offer the fish first and speak second.",
    "One rule: if the bell rings three times, everybody runs and nobody goes back for the mules. I will "
    "have soup ready either way.",
)

NARRATION = (
    "Good question, and not one I want to answer from memory. The guild keeps a book about that part of the "
    "river, with a chapter for every arch and a page for everybody who fell in. "
    "Let me see what it says before I send anyone out. "
)

HOSTILE = (
    "<script>document.title='owned'</script> and <img src=x onerror=\"alert('owned')\"> are only words here. "
    "</pre></textarea><!-- <style>*{display:none}</style> {{ 7*7 }} ${7*7} &lt;b&gt; "
    "[a](javascript:alert(1)) "
    "\x1b[31mred?\x1b[0m \x1b]0;title\x07\x1b[2J\u202e\u05e9\u05dc\u05d5\u05dd drawkcab\u202c "
    "\u2067\u0645\u0631\u062d\u0628\u0627\u2069 zero\u200bwidth "
    "\U0001f469\u200d\U0001f680 \U0001f3f3\ufe0f\u200d\U0001f308 \U0001f44d\U0001f3fd "
    "Z\u0351\u036b\u0343\u036aa\u0334\u0335l\u0321\u0353g\u0321o\u0317 \x00 \u2028 \u2029 \ufffd end."
)

TOPICS = {"tavern": TAVERN, "support": SUPPORT}


def paragraphs(parts: tuple[str, ...], seed: int = 0) -> str:
    """Return the parts as one text. Seed 0 keeps their order, another one shuffles them, each its own way."""
    order = list(parts)
    if seed:
        Random(seed).shuffle(order)
    return "\n\n".join(order)


def fitted(text: str, length: int) -> str:
    """Return exactly `length` characters of `text`, repeated as often as that takes."""
    whole = text + "\n\n"
    return (whole * (length // len(whole) + 1))[:length]


def counted(text: str, words: int) -> str:
    """Return `words` words of `text`, repeated as often as that takes, its own spacing kept."""
    pieces = list(tokens("\n\n" + text.strip(), longest=len(text) + 2))
    return "".join((pieces * (words // len(pieces) + 1))[:words]).lstrip()


def tokens(text: str, longest: int = 5) -> Iterator[str]:
    """Cut text the way models emit it: words with the space before them, long ones in several pieces."""
    start = 0
    for position in range(1, len(text) + 1):
        at_end = position == len(text)
        boundary = at_end or (text[position].isspace() and not text[position - 1].isspace())
        if boundary or position - start == longest:
            yield text[start:position]
            start = position


def slices(text: str, size: int) -> Iterator[str]:
    """Cut text into pieces of `size` characters; 0 means pieces as a model emits them."""
    if size == 0:
        return tokens(text)
    return (text[start : start + size] for start in range(0, len(text), size))
