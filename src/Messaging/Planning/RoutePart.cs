using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Planning;

/// <summary>
/// A step or behaviour of the physical stage that <c>AddStep</c> or <c>AddBehavior</c> adds to the pipelines of the routes. It runs after the worker's own
/// steps, within the message's span, and before the handler's parts. Immutable.
/// </summary>
internal sealed class RoutePart
{
    private readonly Action<PipelineBuilder<MessageContext>, HandlerServices, object?> _compose;
    private readonly Func<SettingsReader, string, object>? _read;

    // Those of the route, once they are read.
    private readonly object? _settings;

    private RoutePart(
        string name,
        Type type,
        Action<PipelineBuilder<MessageContext>, HandlerServices, object?> compose,
        SettingsSection? section = null,
        Func<SettingsReader, string, object>? read = null,
        object? settings = null)
    {
        Name = name;
        PartType = type;
        Section = section;
        _compose = compose;
        _read = read;
        _settings = settings;
    }

    /// <summary>The name in <c>Pipeline:Parts</c> and in the printed chain.</summary>
    public string Name { get; }

    /// <summary>The part's class.</summary>
    public Type PartType { get; }

    /// <summary>The section of its settings, which a route may override; null without settings.</summary>
    public SettingsSection? Section { get; }

    /// <summary>
    /// A step. Each route uses one instance: the container's if the type is registered there, otherwise its own, disposed after the route has drained.
    /// </summary>
    /// <typeparam name="TStep">The step; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="name">Its name; null for the name of the class.</param>
    internal static RoutePart Step<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep>(string? name = null)
        where TStep : class, IStep<MessageContext>
    {
        string known = name ?? NameOf(typeof(TStep));
        return new RoutePart(known, typeof(TStep), (builder, services, _) => builder.Step(services.Create<TStep>(), known));
    }

    /// <summary>A behaviour, which wraps the rest of the pipeline. Instances as for <see cref="Step{TStep}(string)"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="name">Its name; null for the name of the class.</param>
    internal static RoutePart Behavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior>(string? name = null)
        where TBehavior : class, IBehavior<MessageContext, MessageContext>
    {
        string known = name ?? NameOf(typeof(TBehavior));
        return new RoutePart(known, typeof(TBehavior), (builder, services, _) => builder.Behavior(services.Create<TBehavior>(), known));
    }

    /// <summary>A step with settings, which a route may override below <c>Routes:{name}</c>. Each route has an instance of its own.</summary>
    /// <typeparam name="TStep">The step; its constructor takes <typeparamref name="TOptions"/>, and may take the container's services, except scoped
    /// ones.</typeparam> <typeparam name="TOptions">A class whose properties carry <see cref="SettingAttribute"/>.</typeparam>
    /// <param name="name">Its name, and the section of the settings, such as <c>Masking</c>.</param>
    internal static RoutePart Step<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
            string name)
        where TStep : class, IStep<MessageContext>
        where TOptions : class, new() =>
        new(name, typeof(TStep), (builder, services, options) => builder.Step(services.Create<TStep>(options!), name),
            SettingsSection.Of<TOptions>(name, perRoute: true), (settings, route) => settings.Read<TOptions>(name, route));

    /// <summary>A behaviour with settings: as <see cref="Step{TStep, TOptions}"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor takes <typeparamref name="TOptions"/>, and may take the container's services, except scoped
    /// ones.</typeparam> <typeparam name="TOptions">A class whose properties carry <see cref="SettingAttribute"/>.</typeparam>
    /// <param name="name">Its name, and the section of the settings.</param>
    internal static RoutePart Behavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
            string name)
        where TBehavior : class, IBehavior<MessageContext, MessageContext>
        where TOptions : class, new() =>
        new(name, typeof(TBehavior), (builder, services, options) => builder.Behavior(services.Create<TBehavior>(options!), name),
            SettingsSection.Of<TOptions>(name, perRoute: true), (settings, route) => settings.Read<TOptions>(name, route));

    /// <summary>The part with the settings of a route.</summary>
    internal RoutePart Configure(SettingsReader settings, string route) =>
        _read is null ? this : new RoutePart(Name, PartType, _compose, Section, _read, _read(settings, route));

    internal void Compose(PipelineBuilder<MessageContext> builder, HandlerServices services) => _compose(builder, services, _settings);

    private static string NameOf(Type type)
    {
        int arity = type.Name.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? type.Name : type.Name[..arity];
    }
}

/// <summary>Selects from the parts added by code those of one route, by <c>Pipeline:Parts</c>.</summary>
internal static class PartSelection
{
    /// <param name="settings">Collects the problems.</param>
    /// <param name="route">The route's name.</param>
    /// <param name="wanted">The setting; null when it is not set.</param>
    /// <param name="added">The parts in the order in which they were added; their names are unique.</param>
    public static IReadOnlyList<RoutePart> Choose(SettingsReader settings, string route, string[]? wanted, IReadOnlyList<RoutePart> added)
    {
        if (wanted is null)
        {
            return added;
        }

        if (wanted is [var only] && string.Equals(only, PipelineOptions.NoParts, StringComparison.OrdinalIgnoreCase))
        {
            return [];
        }

        string own = $"Routes:{route}:Pipeline:{nameof(PipelineOptions.Parts)}";
        string key = string.IsNullOrWhiteSpace(settings.Configuration[own]) ? $"Pipeline:{nameof(PipelineOptions.Parts)}" : own;
        List<RoutePart> chosen = [];
        foreach (string name in wanted)
        {
            RoutePart? part = added.FirstOrDefault(part => string.Equals(part.Name, name, StringComparison.OrdinalIgnoreCase));
            if (part is null)
            {
                string hint = added.Count == 0 ? "No part was added." : SettingsReader.Hint(name, [.. added.Select(part => part.Name)]);
                settings.Fail(
                    key, name,
                    $"is not a part added by AddStep or AddBehavior; the worker's own parts and those of handlers always run, each in its stage. {hint}");
            }
            else if (chosen.Contains(part))
            {
                settings.Fail(key, name, "is named twice.", "The part would run twice per message.");
            }
            else
            {
                chosen.Add(part);
            }
        }

        return chosen;
    }
}
