using System.Reflection;
using Messaging.Hosting;
using Messaging.Routes;

namespace Worker.Tests.Routes;

public sealed class ShippedFeaturesTests
{
    [Fact]
    public void All_CallsOfThisBuild_ArePublicAndTakeOnlyTheBuilder()
    {
        List<string> missing = [];
        foreach ((_, _, string call, string package) in ShippedFeatures.All)
        {
            string assembly = package["Quayside.".Length..];

            // The adapter of Service Bus is part of a build with its switch.
            if (File.Exists(Path.Combine(AppContext.BaseDirectory, $"{assembly}.dll")) && !Assembly.Load(assembly).GetExportedTypes().Any(type => Has(type, call)))
            {
                missing.Add($"{call} of {assembly}");
            }
        }

        missing.ShouldBeEmpty("An error tells users to make this call.");
    }

    private static bool Has(Type type, string call) => type.GetMethods(BindingFlags.Public | BindingFlags.Static).Any(method =>
        $"{method.Name}()" == call
        && method.ReturnType == typeof(IMessageWorkerBuilder)
        && method.GetParameters() is [{ } builder, .. var rest] && builder.ParameterType == typeof(IMessageWorkerBuilder) && rest.All(parameter => parameter.IsOptional));
}
