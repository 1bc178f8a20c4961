"""The nnPU step, written out: both risks, and what the step descends."""

from scipy.special import expit

from tests.pulib.naive.expansion import numerical_gradient


def pu_risks(scores, labeled, prior):
    """R_p and R_n of the sigmoid loss."""
    negative = expit(scores[~labeled]).mean() - prior * expit(scores[labeled]).mean()
    return prior * expit(-scores[labeled]).mean(), negative


def nnpu_direction(X, labeled, w, prior, beta, gamma):
    """Return the optimizer's gradient for g(x) = w·x: ∇(R_p + R_n), or −γ ∇R_n if R_n < −β."""
    corrected = pu_risks(X @ w, labeled, prior)[1] < -beta

    def descended(v):
        r_p, r_n = pu_risks(X @ v, labeled, prior)
        return -gamma * r_n if corrected else r_p + r_n

    return numerical_gradient(descended, w)
