using Quayside.Pipeline.Contexts;
using Tests.Shared;

namespace Messaging.Tests.Stages;

/// <summary>A reset clears everything that a message left in a context: checked for every field of every context type of the worker.</summary>
public sealed class ContextResetTests
{
    public static TheoryData<Type> ContextTypes =>
        [.. WorkerTypes.All.Where(type => type.IsSubclassOf(typeof(PipelineContext)) && !type.IsAbstract)];

    [Theory]
    [MemberData(nameof(ContextTypes))]
    public void Reset_EveryFieldSet_ClearsEveryField(Type type)
    {
        PipelineContext used = (PipelineContext)Activator.CreateInstance(type)!;
        PipelineContext fresh = (PipelineContext)Activator.CreateInstance(type)!;
        NonDefault.Fill(used);

        used.Reset();

        NonDefault.Differences(used, fresh).ShouldBeEmpty();
    }
}
