using System.Reflection;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Lines;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.PublicApi;

/// <summary>
/// What a part returns when it forgets to decide is the zero value of its result. It must never say that something worked: each public type that
/// expresses an outcome begins with Undecided or None, and every other public value type is listed with the reason why zero is harmless.
/// </summary>
public sealed class ZeroValueTests
{
    private static readonly string[] NoDecision = ["Undecided", "None"];

    /// <summary>Public enums and structs that express no outcome, or whose zero value is harmless, by full name without the arity.</summary>
    private static readonly Dictionary<string, string> Harmless = new(StringComparer.Ordinal)
    {
        ["Quayside.Messaging.Configuration.SettingValue"] = "a key and its value",
        ["Quayside.Messaging.Handlers.MessageInfo"] = "what is known about a message; it throws when it is read outside a call",
        ["Quayside.Messaging.Sinks.DocumentRejection"] = "always a rejection",
        ["Quayside.Messaging.Sinks.SinkKind"] = "what a feature stores; start checks that handler and sink agree",
        ["Quayside.Messaging.Sources.CompletionEffect"] =
            "a property of a source: zero assumes that a completed message is deleted, so that losing its object is refused",
        ["Quayside.Messaging.Sources.SlotLease"] = "no slots: it accepts no message",
        ["Quayside.Messaging.Testing.LogEntry"] = "a line of a test's log",
        ["Quayside.Messaging.Testing.RecordedRejection"] = "always a rejection",
        ["Quayside.Pipeline.Behaviors.ErrorOutcome"] = "zero rethrows: the failure stays one",
        ["Quayside.Pipeline.Frames.PooledAsyncMethodBuilder"] = "machinery of async methods",
    };

    public static TheoryData<string> Assemblies =>
        [.. Directory
            .GetFiles(AppContext.BaseDirectory, "*.dll")
            .Select(file => Path.GetFileNameWithoutExtension(file))
            .Where(IsOurs)
            .Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void Zero_OfEveryPublicOutcome_DecidesNothing(string assembly)
    {
        List<string> wrong = [];
        foreach (Type type in PublicValueTypes(assembly).Where(type => !Harmless.ContainsKey(NameOf(type))))
        {
            type.IsGenericTypeDefinition.ShouldBeFalse($"{NameOf(type)} needs a case of its own.");
            object zero = Activator.CreateInstance(type)!;
            if (type.IsEnum ? !NoDecision.Contains(zero.ToString()) : !DecidesNothing(type, zero))
            {
                wrong.Add($"{NameOf(type)}: default is {zero}");
            }
        }

        wrong.ShouldBeEmpty("The zero value must be Undecided or None. A type that is no outcome belongs in the list, with the reason.");
    }

    [Fact]
    public void Harmless_Entries_ExistAndAreValueTypes()
    {
        HashSet<string> existing = [.. Assemblies.SelectMany(assembly => PublicValueTypes(assembly.Data)).Select(NameOf)];

        Harmless.Keys.Where(name => !existing.Contains(name)).ShouldBeEmpty("Remove what no longer exists.");
    }

    [Fact]
    public void Zero_OfEachOutcome_CountsAsNothing()
    {
        default(SinkResult).Status.ShouldBe(SinkStatus.Undecided);
        default(DocumentsResult).Status.ShouldBe(SinkStatus.Undecided);
        default(Settlement).IsDecided.ShouldBeFalse();
        new Settlement((SettlementKind)42).IsDecided.ShouldBeFalse();
        default(StepOutcome).ShouldNotBe(StepOutcome.Continue);
        default(IntakeAnswer).ShouldNotBe(IntakeAnswer.Reserved);
        default(S3Fault).Kind.ShouldNotBe(AwsErrorKind.None);
        default(PublishResult).IsComplete.ShouldBeFalse();
        default(LineKind).ShouldBe(LineKind.None);
        default(ServiceBusFault).Kind.ShouldBe(ServiceBusFaultKind.Other);
        default(RouteTotals).Stored.ShouldBe(0);
        default(BreakerState).ShouldBe(BreakerState.Closed);
        default(ServiceBusTransportType).ShouldBe(ServiceBusTransportType.AmqpTcp);
    }

    private static bool IsOurs(string name) => name == "Worker" || name.StartsWith("Quayside.", StringComparison.Ordinal);

    private static IEnumerable<Type> PublicValueTypes(string assembly) =>
        Assembly.Load(assembly).GetExportedTypes().Where(type => type.IsValueType && !type.IsByRefLike);

    // By its decision, where it has one: an enum, or a property that says whether all is well.
    private static bool DecidesNothing(Type type, object zero)
    {
        PropertyInfo[] properties = type.GetProperties(BindingFlags.Public | BindingFlags.Instance);
        PropertyInfo[] decisions = [
            .. properties.Where(
                property => (property.PropertyType.IsEnum && !Harmless.ContainsKey(NameOf(property.PropertyType)))
                    || property.Name is "IsComplete" or "IsDecided" or "Succeeded")];
        return decisions.Length > 0 && decisions.All(property => property.GetValue(zero) is false || NoDecision.Contains(property.GetValue(zero)!.ToString()));
    }

    private static string NameOf(Type type)
    {
        string name = type.FullName!;
        int arity = name.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? name : name[..arity];
    }
}
