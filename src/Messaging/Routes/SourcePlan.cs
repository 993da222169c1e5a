using Messaging.Sources;

namespace Messaging.Routes;

/// <summary>One source of a route as configured and checked.</summary>
/// <param name="Name">Its feature's name.</param>
/// <param name="Create">Makes it.</param>
/// <param name="KeepsDeadLetters">Its dead letters go to the folder of dead letters.</param>
/// <param name="HoldsOnlyCopies">Its messages may exist nowhere but in this process.</param>
internal sealed record SourcePlan(string Name, Func<SourceServices, IMessageSource> Create, bool KeepsDeadLetters = false, bool HoldsOnlyCopies = false);
