"""The runs of a campaign in the form in which exhibits read them."""
