namespace Proof.Models;

/// <summary>A service outside the worker's process.</summary>
internal interface IService
{
    /// <summary>Carries a request out and calls back with the answer, now or later.</summary>
    void Handle(ServiceRequest request, Action<ServiceAnswer> answer);

    /// <summary>An answer which reports that nothing was done.</summary>
    ServiceAnswer Unavailable(int draw);
}
