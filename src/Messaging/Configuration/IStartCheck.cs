namespace Messaging.Configuration;

/// <summary>
/// A service whose start can be refused for a reason that is visible before: <c>validate</c> asks every one in the container. The parts of a route have
/// the property <c>CheckBeforeStart</c> of their plans instead.
/// </summary>
public interface IStartCheck
{
    /// <summary>Reports what a start on this machine would be refused for. Opens no connection and no port, and creates and changes nothing.</summary>
    void Check(StartFindings findings);
}
