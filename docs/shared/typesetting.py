"""Numbers as a book sets them, for what the text says of a cell."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def scientific(value: float, digits: int = 3) -> str:
    """Write a number with a power of ten: 6.857e-05 is 6.86×10⁻⁵."""
    number, power = f"{value:.{digits - 1}e}".split("e")
    return f"{number}×10{str(int(power)).translate(RAISED)}"
