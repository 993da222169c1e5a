using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Settlements;

namespace Worker.Tests.Sources.Contract;

/// <summary>Completes each message whose body it could read.</summary>
internal sealed class BodyReadingTerminator : ITerminator<PhysicalContext>
{
    public ValueTask InvokeAsync(PhysicalContext context)
    {
        context.Settlement = context.Message.Body.IsEmpty ? Settlement.DeadLetter("empty", "No message of the contract is empty.") : Settlement.Complete;
        return default;
    }
}
