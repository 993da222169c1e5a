namespace Proof.Models;

/// <summary>A service outside of the worker's process.</summary>
internal interface IService
{
    /// <summary>Carries a request out and calls back with the answer, now or later.</summary>
    void Handle(ServiceRequest request, Action<ServiceAnswer> answer);

    /// <summary>An answer that says that nothing was done.</summary>
    ServiceAnswer Unavailable(int draw);
}
